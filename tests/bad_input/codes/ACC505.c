void clear(int n, int m, float a[n][m])
//                       ^~~~~ ACC505
{
    a[0][0] = 0;
}
void zero(float *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
