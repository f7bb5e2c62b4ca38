static int leaps(int n)
{
    int squares[n];
//      ^~~~~~~ ACC301
again:
    if (n < 0)
        goto again;
//      ^~~~ ACC301
    return squares[0];
}
void f(int *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = leaps(i);
}
