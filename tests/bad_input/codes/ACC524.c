enum level { LOW, HIGH };
int next(enum level level)
{
    return level++;
//         ^~~~~ ACC524
}
void zero(float *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
