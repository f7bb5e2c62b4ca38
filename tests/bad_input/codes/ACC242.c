void f(float *a, int n)
{
#pragma acc parallel copy(a[0:n])
    {
#pragma acc parallel
//          ^~~~~~~~ ACC242
        a[0] = n;
    }
}
