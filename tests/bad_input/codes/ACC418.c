void f(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:1])
//                ^ ACC418
        const float *p = a;
        p += i;
        b[i] = *p;
    }
}
