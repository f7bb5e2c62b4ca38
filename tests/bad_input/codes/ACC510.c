int jump(int n)
{
    if (n > 0)
        goto end;
//      ^~~~ ACC510
    int m = 2 * n;
    return m;
end:
    return 0;
}
void zero(float *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
