void f(float *a, int n)
{
#pragma acc parallel loop num_gangs(0) copy(a[0:n])
//                                  ^ ACC257
    for (int i = 0; i < n; ++i)
        a[i] = 0;
#pragma acc parallel loop vector_length(-4) num_workers(0) copy(a[0:n])
//                                      ^~ ACC257
//                                                      ^ ACC257
    for (int i = 0; i < n; ++i)
        a[i] = 1;
}
