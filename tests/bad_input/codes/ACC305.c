void f(float *a, int n)
{
#pragma acc kernels copy(a[0:n])
    {
        float t = a[0];
//            ^ ACC305
        for (int i = 0; i < n; ++i)
            a[i] = t;
        for (int i = 0; i < n; ++i)
            a[i] += t;
    }
}
