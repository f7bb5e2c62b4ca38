void f(float *a, int n)
{
#pragma acc parallel loop tile(n, 8) copy(a[0:n*n])
//                             ^ ACC311
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            a[i * n + j] = 1;
}
