void f(int n, float a[n])
{
#pragma acc enter data copyin(a)
//                            ^ ACC254
    a[0] = n;
}
