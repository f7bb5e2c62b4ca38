// options: --width fixed
void f(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
//  ^~~ ACC410
#pragma acc cache(a[i:1])
        b[i] = a[i];
    }
}
