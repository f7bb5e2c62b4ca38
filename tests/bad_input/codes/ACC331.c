void f(const float *a, float *b)
{
#pragma acc parallel loop copyin(a[1:62]) copy(b[0:64])
    for (int i = 1; i < 63; i++)
        b[i] = a[i - 1] + a[i + 1];
//             ^ ACC331
}

void g(float *a, int n, int m, int k)
{
#pragma acc data create(a[n*m])
    {
#pragma acc parallel loop
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                a[i*m + j] = i;
//              ^ ACC331
#pragma acc parallel loop
        for (int i = 0; i < n; i++)
            a[n*m] = i;
    }
#pragma acc parallel loop copy(a[k:1])
    for (int i = 0; i < n; i++)
        a[i] = 0;
//      ^ ACC331
}
