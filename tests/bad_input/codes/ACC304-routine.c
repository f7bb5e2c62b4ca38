static int apply(int (*function)(int), int x)
{
    return function(x);
//         ^~~~~~~~ ACC304
}
void f(int (*function)(int), int *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = apply(function, i);
}
