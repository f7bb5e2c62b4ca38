static int caller(void)
{
    int helper(int n);
//      ^~~~~~ ACC525
    return helper(1);
}
int call(void)
{
    return caller();
}
void zero(float *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
