void f(float *a, int n)
{
    int x = 3;
#pragma acc parallel loop private(x) firstprivate(x) copy(a[0:n])
//                                ^ ACC218
    for (int i = 0; i < n; ++i)
        a[i] = x;
#pragma acc parallel firstprivate(x) copy(a[0:n])
#pragma acc loop private(x)
    for (int i = 0; i < n; ++i)
        a[i] = x = i;
}
