void f(float *a, int n)
{
#pragma acc kernels copy(a[0:n]) async
    {
        float t = n;
//            ^ ACC305
        if (t > 2)
            t = 2;
        for (int i = 0; i < n; ++i)
            a[i] += t;
    }
}
