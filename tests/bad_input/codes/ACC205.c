void f(float *a, int n)
{
#pragma acc parallel loop collapse(n) copy(a[0:n])
//                                 ^ ACC205
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
