void f(int *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        int v;
#pragma acc atomic capture
        {
//      ^ ACC260
            v = a[0];
            a[1]++;
        }
    }
}
