void f(float *a, int n)
{
#pragma acc enter data copyin(a)
//                            ^ ACC253
    a[0] = n;
}
