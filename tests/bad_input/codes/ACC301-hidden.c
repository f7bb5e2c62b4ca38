void f(int n, int m, double (*a)[m], double *o)
{
    {
        int m = 2;
#pragma acc parallel loop copyin(a[0:n]) copyout(o[0:n])
//          ^~~~~~~~~~~~~ ACC301
        for (int i = 0; i < n; ++i)
            o[i] = a[i][m];
    }
}
