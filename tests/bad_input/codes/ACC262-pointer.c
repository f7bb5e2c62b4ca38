void f(float *a, const float *b, int n)
{
#pragma acc parallel loop reduction(+: a) copyin(b[0:n])
//                                     ^ ACC262
    for (int i = 0; i < n; ++i)
        a[i / 2] += b[i];
}
