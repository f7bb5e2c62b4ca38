void f(float *a, int n)
{
    typedef float real;
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        real x = i;
        a[i] = x;
    }
}
void g(double *a, int n)
{
    typedef double real;
#pragma acc parallel loop copy(a[0:n])
//          ^ ACC322
    for (int i = 0; i < n; ++i) {
        real x = i;
        a[i] = x;
    }
}
