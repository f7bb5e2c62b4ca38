#pragma acc routine vector
void twice(double *a, int n)
//   ^~~~~ ACC349
{
    double row[7000];
#pragma acc loop vector
    for (int k = 0; k < n; ++k)
        row[k] = a[k];
#pragma acc loop vector
    for (int k = 0; k < n; ++k)
        a[k] += row[n - 1 - k];
}
