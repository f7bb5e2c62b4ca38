int twice(x)
//  ^~~~~ ACC509
    int x;
{
    return 2 * x;
}
void zero(float *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
