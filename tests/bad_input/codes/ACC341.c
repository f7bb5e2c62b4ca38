static int odd(int n);
static int even(int n)
{
    return n == 0 || odd(n - 1);
}
static int odd(int n)
{
    return n != 0 && even(n - 1);
//                   ^~~~ ACC341
}
static int factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
//                         ^~~~~~~~~ ACC341
}
void f(int *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = even(i) ? factorial(i) : 0;
}
