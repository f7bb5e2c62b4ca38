#pragma acc routine seq
static float sum(const float *a, int i)
{
    float few[4] = {1, 2, 3, 4};
    float all = 0;
#pragma acc cache(a[i:4], few, all)
//                ^ ACC402
//                        ^~~ ACC405
//                             ^~~ ACC403
    for (int k = 0; k < 4; ++k)
        all += a[i + k] * few[k];
    return all;
}

#pragma acc routine worker
static void smooth(const float *restrict a, float *restrict b, int n)
{
    float both[2];
#pragma acc cache(both)
//                ^~~~ ACC404
    both[0] = a[0];
    both[1] = a[n - 1];
#pragma acc loop worker
    for (int k = 0; k < n / 32; ++k) {
        float row[32];
#pragma acc loop vector
        for (int i = 0; i < 32; ++i) {
#pragma acc cache(row[0:32], both[0:2], a[k*32:32])
//                ^~~ ACC405
//                           ^~~~ ACC404
//                                      ^ ACC402
            row[i] = a[k * 32 + i] * both[0];
        }
#pragma acc loop vector
        for (int i = 0; i < 32; ++i)
            b[k * 32 + i] = row[31 - i] + both[1];
    }
}

#pragma acc routine vector
static float own(int n)
{
    float left[2];
    left[0] = n;
#pragma acc cache(left[0:2])
//                ^~~~ ACC404
    left[1] = left[0] + n;
    return left[0] + left[1];
}

void f(const float *restrict a, float *restrict b, float *restrict c, int n)
{
#pragma acc parallel loop copyin(a[0:n+4]) copyout(c[0:n])
    for (int i = 0; i < n; ++i)
        c[i] = sum(a, i);
#pragma acc parallel loop gang copyin(a[0:n]) copyout(b[0:n])
    for (int g = 0; g < 1; ++g)
        smooth(a, b, n);
#pragma acc parallel loop gang copyout(b[0:n])
    for (int g = 0; g < n; ++g)
        b[g] = own(g);
}
