void f(float *restrict a, int n)
{
#pragma acc parallel loop gang copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        float row[60000];
//            ^~~ ACC421
#pragma acc loop vector
        for (int k = 0; k < 60000; ++k)
            row[k] = k * a[i];
#pragma acc loop vector
        for (int k = 0; k < 1; ++k)
            a[i] = row[59999];
    }
}
