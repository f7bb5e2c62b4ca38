double tiled_sum(const double *a, int n)
{
    double sum = 0;
#pragma acc parallel loop independent copyin(a[0:n+5888]) reduction(+: sum)
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:5888])
        for (int k = 0; k < 5888; k += 64)
            sum += a[i + k];
    }
    return sum;
}
