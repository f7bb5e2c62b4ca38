int f(const int *a, int n)
{
    int s = 1;
#pragma acc parallel num_gangs(1) copyin(a[0:n]) copy(s)
    {
        s = 5;
#pragma acc loop gang vector reduction(+: s)
//          ^~~~ ACC262
        for (int i = 0; i < n; ++i)
            s += a[i];
    }
    return s;
}
