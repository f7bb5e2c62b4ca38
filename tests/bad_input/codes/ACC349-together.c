#pragma acc routine vector
static void reverse(double *a, int n)
{
    double row[3500];
#pragma acc loop vector
    for (int k = 0; k < n; ++k)
        row[k] = a[k];
#pragma acc loop vector
    for (int k = 0; k < n; ++k)
        a[k] = row[n - 1 - k];
}
#pragma acc routine vector
static void fold(double *a, int n)
{
    double row[3500];
#pragma acc loop vector
    for (int k = 0; k < n; ++k)
        row[k] = a[k];
#pragma acc loop vector
    for (int k = 0; k < n; ++k)
        a[k] += row[n - 1 - k];
    reverse(a, n);
}
void f(double *a, int n)
{
#pragma acc parallel loop gang copy(a[0:n*n])
//          ^~~~~~~~~~~~~ ACC349
    for (int i = 0; i < n; ++i)
        fold(a + i * n, n);
}
