void f(int *a, int n)
{
    int new = 4, accache_new = 5;
//               ^~~~~~~~~~~ ACC354
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = new + accache_new;
}
