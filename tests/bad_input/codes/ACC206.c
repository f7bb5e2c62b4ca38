void f(float *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
//          ^~~~~~~~~~~~~ ACC206
    while (n > 0)
        a[--n] = 0;
}
