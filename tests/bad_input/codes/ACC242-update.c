void f(float *a, int n)
{
#pragma acc parallel copy(a[0:n])
    {
#pragma acc update self(a[0:n])
//          ^~~~~~ ACC242
        a[0] = n;
    }
}
