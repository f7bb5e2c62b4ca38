#pragma acc routine vector
static void halve(int *a, int n)
//          ^~~~~ ACC341
{
#pragma acc loop vector
    for (int i = 0; i < n; ++i)
        a[i] /= 2;
    if (n > 1)
        halve(a, n / 2);
}
void f(int *a, int n)
{
#pragma acc parallel loop gang copy(a[0:n*n])
    for (int i = 0; i < n; ++i)
        halve(a + i * n, n);
}
