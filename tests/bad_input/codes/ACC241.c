#pragma acc routine vector
void f(float *a, int n)
//   ^ ACC241
{
#pragma acc loop vector
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
