#pragma acc routine seq
int sum(int count, ...);
//  ^~~ ACC343
#pragma acc routine seq
int anything();
//  ^~~~~~~~ ACC343
int twice_device = 2;
#pragma acc routine seq
int twice(int x)
//  ^~~~~ ACC343
{
    return 2 * x;
}
static int old(x)
//         ^~~ ACC343
    int x;
{
    return x;
}
void f(int *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = sum(1, i) + anything() + twice(i) + old(i);
}
