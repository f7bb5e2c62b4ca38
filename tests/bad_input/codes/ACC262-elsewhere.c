void f(float *b, int n)
{
    float a[4] = {0};
#pragma acc parallel copy(b[0:n])
    {
#pragma acc loop gang vector reduction(+: a)
//                                        ^ ACC262
        for (int i = 0; i < n; ++i)
            a[i % 4] += b[i];
#pragma acc loop gang vector
        for (int i = 0; i < n; ++i)
            b[i] = a[i % 4];
    }
}
