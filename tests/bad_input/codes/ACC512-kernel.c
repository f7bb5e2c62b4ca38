void f(double _Complex *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
//          ^~~~~~~~~~~~~ ACC512
    for (int i = 0; i < n; ++i)
        a[i] *= a[i];
}
