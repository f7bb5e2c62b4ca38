const double PI = 3.25;
static int calls;
static const double halves[2] = {0.5, 1.5};
static double thirds[2] = {0.3, 1.3};
static double area(double r)
{
    ++calls;
//    ^~~~~ ACC342
    thirds[1] = r;
//  ^~~~~~ ACC342
    return PI * r * r + halves[1];
}
void f(double *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = area(a[i]);
}
