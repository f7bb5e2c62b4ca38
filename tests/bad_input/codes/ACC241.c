void f(float *a, int n)
{
#pragma acc parallel loop async copy(a[0:n])
//                        ^~~~~ ACC241
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
