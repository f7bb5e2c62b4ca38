void f(float *a, int n)
{
#pragma acc parallel loop independent(n) copy(a[0:n])
//                                   ^ ACC215
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
