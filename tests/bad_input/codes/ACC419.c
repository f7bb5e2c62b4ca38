void f(const float *restrict a, const int *restrict at, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n+8], at[0:n]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
        int first = at[i];
        float sum = 0;
#pragma acc cache(a[first:8])
//                ^ ACC419
        for (int k = first; k < first + 8; ++k)
            sum += a[k];
        b[i] = sum;
    }
}
