void f(float *a, int n)
{
    a[0] = n;
#pragma acc data copy(a[0:n])
//          ^~~~ ACC207
}
