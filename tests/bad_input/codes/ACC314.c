void f(float *a, int n)
{
#pragma acc parallel loop gang copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        float local[4] = {1, 2, 3, 4};
//            ^~~~~ ACC314
#pragma acc loop vector
        for (int j = 0; j < 4; ++j)
            local[j] += j;
        a[i] = local[3];
    }
}
