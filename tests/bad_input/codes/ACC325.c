int f(const int *a, int n)
{
    int sum = 0, own = 0, one = 0;
#pragma acc parallel num_gangs(8) copyin(a[0:n])
    {
#pragma acc loop vector reduction(+: sum)
//          ^~~~ ACC325
        for (int i = 0; i < n; ++i)
            sum += a[i];
#pragma acc loop vector reduction(+: own)
        for (int i = 0; i < n; ++i)
            own += a[i];
    }
#pragma acc parallel num_gangs(1) copyin(a[0:n])
#pragma acc loop vector reduction(+: one)
    for (int i = 0; i < n; ++i)
        one += a[i];
    return sum + one;
}
