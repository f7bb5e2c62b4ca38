void f(int n, int m, double *p)
{
    typedef double row[m];
    m = m + 1;
    row *a = (row *)p;
#pragma acc parallel loop copy(a[0:n])
//          ^~~~~~~~~~~~~ ACC323
    for (int i = 0; i < n; ++i)
        a[i][0] = i;
#pragma acc parallel loop copy(p[0:n])
//          ^~~~~~~~~~~~~ ACC323
    for (int i = 0; i < n; ++i)
        p[i] = sizeof(row);
}
