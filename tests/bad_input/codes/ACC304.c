void f(float *a, int n, float (*table[2])(float))
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = table[0](a[i]);
//             ^~~~~ ACC304
}
