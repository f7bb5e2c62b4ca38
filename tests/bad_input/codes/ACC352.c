#pragma acc routine worker
void clear(int *a, int n);
void f(int *a, int n)
{
#pragma acc parallel loop gang num_workers(64) vector_length(8) copy(a[0:n*n])
//          ^~~~~~~~~~~~~ ACC352
    for (int i = 0; i < n; ++i)
        clear(a + i * n, n);
}
