int f(int *a, int n)
{
    int s = 1;
#pragma acc parallel copy(a[0:n], s)
    {
        s = 5;
#pragma acc loop reduction(+: s)
//          ^~~~ ACC262
        for (int i = 0; i < n; ++i)
            s += a[i];
#pragma acc loop gang
        for (int i = 0; i < n; ++i)
            if (a[i] > 3)
                s = i;
    }
    return s;
}
