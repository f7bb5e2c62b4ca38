void f(float *a, int n)
{
#pragma acc parallel loop copy(a[0:n]) vectr
//                                     ^~~~~ ACC212
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
