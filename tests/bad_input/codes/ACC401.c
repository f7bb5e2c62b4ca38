void f(float *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(readonly: a[i-1:3])
        a[i] = a[i - 1] + a[i + 1];
//      ^ ACC401
    }
}
