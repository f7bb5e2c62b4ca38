void f(float *a, int n)
{
#pragma acc parallel loop vector_length(32, 64) copy(a[0:n])
//                                      ^~ ACC220
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
