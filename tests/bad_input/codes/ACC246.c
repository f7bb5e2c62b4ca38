void f(float *a, int n)
{
#pragma acc parallel loop copyout(a)
//                                ^ ACC246
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
