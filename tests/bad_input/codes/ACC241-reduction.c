void f(float *a, int n)
{
#pragma acc parallel loop reduction(+: a[0:2])
//                                     ^ ACC241
    for (int i = 0; i < n; ++i)
        a[0] += i;
}
