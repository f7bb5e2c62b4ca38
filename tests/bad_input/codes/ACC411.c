void f(const float *restrict a, float *restrict b, int n)
{
#pragma acc cache(a[0:n])
//          ^~~~~ ACC411
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
    for (int i = 0; i < n; ++i)
        b[i] = a[i];
}
