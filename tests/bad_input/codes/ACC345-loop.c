#pragma acc routine vector
void clear(int *a, int n);
#pragma acc routine gang
void sweep(int *a, int n);
void f(int *a, int n)
{
#pragma acc parallel loop gang vector copy(a[0:n*n])
    for (int i = 0; i < n; ++i)
        clear(a + i * n, n);
//      ^~~~~ ACC345
#pragma acc parallel loop gang copy(a[0:n*n])
    for (int i = 0; i < n; ++i)
        sweep(a + i * n, n);
//      ^~~~~ ACC345
}
