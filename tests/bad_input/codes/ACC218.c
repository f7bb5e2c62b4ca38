void f(float *a, int n)
{
#pragma acc parallel loop seq gang copy(a[0:n])
//                            ^~~~ ACC218
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
