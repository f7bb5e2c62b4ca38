int f(float *a, int n)
{
#pragma acc parallel copy(a[0:n])
    {
        if (n > 0)
            return 1;
//          ^~~~~~ ACC244
    }
    return 0;
}
