void f(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
    for (int i = 4; i < n - 4; ++i) {
#pragma acc cache(a[i:1])
//                ^ ACC419
//                ^ ACC423
        b[i] = a[i - 1] + a[i] + a[i + 1];
    }
}
