void f(int *a, int *left, int n)
{
#pragma acc parallel loop gang copy(a[0:n*32], left[0:n])
    for (int i = 0; i < n; ++i) {
        while (left[i]-- > 0) {
//      ^~~~~ ACC301
#pragma acc loop vector
            for (int j = 0; j < 32; ++j)
                a[i * 32 + j] += 1;
        }
    }
}
