void f(float *a, int n)
{
    if (n > 10)
#pragma acc update self(a[0:n])
//          ^~~~~~ ACC249
    a[0] = n;
}
