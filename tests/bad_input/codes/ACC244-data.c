int f(float *a, int n)
{
#pragma acc data copy(a[0:n])
    {
        if (n > 0)
            return 1;
//          ^~~~~~ ACC244
    }
    return 0;
}
