double f(const double *a, int n)
{
    double sum = 0;
#ifdef _OPENMP
#pragma omp simd
#endif
#pragma omp parallel for reduction(+:sum)
//      ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ ACC256
    for (int i = 0; i < n; ++i)
        sum += a[i];
#pragma omp barrier
    return sum;
}
