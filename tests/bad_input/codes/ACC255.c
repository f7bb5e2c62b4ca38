void f(float *a, int n)
{
#pragma ac parallel loop copy(a[0:n])
//      ^~ ACC255
    for (int i = 0; i < n; ++i)
        a[i] = 0;
#pragma ACC kernels
//      ^~~ ACC255
    for (int i = 0; i < n; ++i)
        a[i] = 1;
#pragma openacc data copy(a[0:n])
//      ^~~~~~~ ACC255
#if 0
#pragma ac parallel
#endif
#pragma GCC unroll 4
    for (int i = 0; i < n; ++i)
        a[i] = 2;
#pragma omp parallel for
    for (int i = 0; i < n; ++i)
        a[i] = 3;
}
