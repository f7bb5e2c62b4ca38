void f(float *a, int n)
{
#pragma acc parallel loop copy()
//                        ^~~~ ACC213
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
