int *numbers(void)
{
    static int *kept;
    kept = (int[]){1, 2, 3};
//         ^ ACC507
    return kept;
}
void zero(float *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
