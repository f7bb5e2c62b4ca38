void clear(int *a, int n)
//   ^~~~~ ACC347
{
#pragma acc loop vector
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
void f(int *a, int n)
{
#pragma acc parallel loop gang copy(a[0:n*n])
    for (int i = 0; i < n; ++i)
        clear(&a[i * n], n);
}
