void f(float *a, int n)
{
#pragma acc update
//          ^~~~~~ ACC217
    a[0] = n;
}
