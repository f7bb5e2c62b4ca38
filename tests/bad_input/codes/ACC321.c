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
