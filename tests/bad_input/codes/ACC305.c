void f(float *a, int n)
{
#pragma acc kernels copy(a[0:n])
    {
        float *p = a;
//            ^ ACC305
        if (n > 2)
            p = a + 1;
        for (int i = 0; i < n - 1; ++i)
            p[i] += 1;
    }
}
