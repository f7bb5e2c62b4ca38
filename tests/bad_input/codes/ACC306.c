void f(float *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 1; i < n; i *= 2)
//  ^~~ ACC306
        a[i] = 0;
}
