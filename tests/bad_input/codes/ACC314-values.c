void f(int *a, int n)
{
#pragma acc parallel loop gang copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        char local[4] = "abc";
//           ^~~~~ ACC314
#pragma acc loop vector
        for (int j = 0; j < 2; ++j)
            local[j] += i;
        a[i] = local[1];
    }
}
