void f(float *restrict a, float *restrict b, int n)
{
#pragma acc kernels copy(a[0:n], b[0:n]) async
    {
        float t = a[0];
//            ^ ACC305
        for (int i = 0; i < n; ++i)
            a[i] *= 2;
        for (int i = 0; i < n; ++i)
            b[i] = t;
    }
}
