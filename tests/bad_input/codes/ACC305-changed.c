void f(float *restrict a, int *restrict first, int n)
{
#pragma acc kernels copy(a[0:2*n], first[0:n])
    {
        float *p = a + first[0];
//            ^ ACC305
        for (int i = 0; i < n; ++i)
            first[i] = 2;
#pragma acc loop independent
        for (int i = 0; i < n; ++i)
            p[i] = 1;
    }
}
