void f(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:600*n]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
        float sum = 0;
#pragma acc cache(a[600*i:600])
//                ^ ACC420
        for (int k = 0; k < 600; ++k)
            sum += a[600 * i + k] * a[600 * i + 599 - k];
        b[i] = sum;
    }
}
