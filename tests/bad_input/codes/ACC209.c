void f(float *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    #ifdef __FAST_MATH__
    for (int i = n - 1; i >= 0; --i)
    #else
    for (int i = 0; i < n; ++i)
    #endif
//  ^~~~~~ ACC209
        a[i] = 0;
}
