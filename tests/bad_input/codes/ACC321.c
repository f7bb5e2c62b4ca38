void f(float *a, int n)
{
    float sum = 0;
#pragma acc parallel reduction(+: sum) copy(a[0:n])
#pragma acc loop
//          ^~~~ ACC321
    for (int i = 0; i < n; ++i)
        sum += a[i];
    a[0] = sum;
}

float g(const float *a, int n)
{
    float sum = 0, own;
#pragma acc parallel copyin(a[0:n*n])
#pragma acc loop gang
//          ^~~~ ACC321
    for (int i = 0; i < n; ++i) {
#pragma acc loop vector reduction(+: sum)
        for (int j = 0; j < n; ++j)
            sum += a[i * n + j];
        own = 0;
#pragma acc loop vector reduction(+: own)
        for (int j = 0; j < n; ++j)
            own += a[i * n + j];
    }
    return sum;
}
