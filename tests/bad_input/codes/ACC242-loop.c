void f(float *a, int n)
{
#pragma acc parallel copy(a[0:n])
    {
#pragma acc parallel loop
//          ^~~~~~~~~~~~~ ACC242
        for (int i = 0; i < n; ++i)
            a[i] = 0;
    }
}
