void f(int *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        int v;
#pragma acc atomic read
        v = a[0] + 1;
//      ^ ACC260
    }
}
