void f(float *a, int n)
{
#pragma acc paralel loop copy(a[0:n])
//          ^~~~~~~ ACC201
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
