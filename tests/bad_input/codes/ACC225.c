void f(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(a(i-1:i+1))
//                ^ ACC225
        b[i] = a[i - 1] + a[i + 1];
    }
}
