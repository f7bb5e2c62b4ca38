void f(float *a, int n)
{
#pragma acc parallel loop default(none)
//          ^~~~~~~~~~~~~ ACC248
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
