int f(const int *a, int n)
{
    int s = 0, part[4] = {0};
#pragma acc parallel copyin(a[0:n])
    {
#pragma acc loop gang vector reduction(+: s)
        for (int i = 0; i < n; ++i)
            s += a[i];
#pragma acc loop gang vector reduction(max: s)
//          ^~~~ ACC262
        for (int i = 0; i < n; ++i)
            s = a[i] > s ? a[i] : s;
#pragma acc loop gang vector reduction(+: part[0:2])
        for (int i = 0; i < n; ++i)
            part[i & 1] += a[i];
#pragma acc loop gang vector reduction(+: part[1:2])
//          ^~~~ ACC262
        for (int i = 0; i < n; ++i)
            part[1 + (i & 1)] += a[i];
    }
    return s + part[0] + part[1] + part[2];
}
