void f(float *restrict a, float *restrict b, int n)
{
#pragma acc parallel copy(a[0:n]) copyout(b[0:n])
    {
#pragma acc loop gang vector
        for (int i = 0; i < n; ++i)
            a[i] *= 2;
#pragma acc loop gang vector
        for (int i = 1; i < n; ++i)
            b[i] = a[i - 1];
//                 ^ ACC334
    }
#pragma acc parallel copy(a[0:n]) copy(b[0:n])
    for (int k = 0; k < 10; ++k) {
#pragma acc loop gang vector
        for (int i = 1; i < n - 1; ++i)
            b[i] = a[i - 1] + a[i + 1];
#pragma acc loop gang vector
        for (int i = 1; i < n - 1; ++i)
            a[i] = b[i];
//          ^ ACC334
    }
#pragma acc parallel copy(a[0:n]) copyout(b[0:n])
    {
#pragma acc loop gang vector
        for (int i = 0; i < n; ++i)
            a[i] *= 2;
#pragma acc loop gang vector
        for (int i = 0; i < n; ++i)
            b[i] = a[i];
    }
}
