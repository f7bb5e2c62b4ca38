void f(float *a, int n)
{
#pragma acc kernels loop copy(a[0:n])
    for (int i = 1; i < n; ++i)
//  ^~~ ACC307
        a[i] = a[i - 1];
}
