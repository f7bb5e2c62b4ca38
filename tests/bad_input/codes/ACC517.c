int later(void)
{
    return undeclared(1);
//         ^~~~~~~~~~ ACC517
}
void zero(float *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
