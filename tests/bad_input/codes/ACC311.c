void f(float *a, int n)
{
#pragma acc parallel loop vector_length(n) copy(a[0:n])
//                                      ^ ACC311
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
