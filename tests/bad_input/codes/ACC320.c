void f(float *restrict a, const float *restrict b, int n)
{
#pragma acc parallel loop gang copy(a[0:n]) copyin(b[0:n])
    for (int k = 0; k < n; ++k) {
#pragma acc loop worker
        for (int w = 0; w < 4; ++w) {
            if (b[w] > 0) {
                float sum = 0;
#pragma acc loop vector reduction(+: sum)
                for (int i = 0; i < 32; ++i)
//              ^~~ ACC320
                    sum += b[i];
                a[k] = sum;
            }
        }
    }
}
