void f(float *a, int n)
{
#pragma acc enter data attach(a)
//                     ^~~~~~ ACC241
    a[0] = n;
}
