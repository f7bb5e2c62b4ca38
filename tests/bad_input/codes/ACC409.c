void f(const float *restrict a, const int *restrict at, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n+3], at[0:n]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:4])
//                ^ ACC409
        b[i] = a[i] + a[i+3] + a[at[i]];
    }
}
