void f(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n+3]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:i+4])
//                    ^~~ ACC412
        for (int j = i; j < i + 4; ++j)
            b[i] += a[j];
    }
}
