void f(float *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0
#pragma acc cache(a[i:1])
// (line) ACC104
         ; i < n; ++i)
        a[i] = 0;
}
