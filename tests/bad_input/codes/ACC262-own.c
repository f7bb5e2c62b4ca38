void f(int *b, int n)
{
#pragma acc parallel num_gangs(1) copy(b[0:n])
    {
        int t = 0;
#pragma acc loop gang vector reduction(+: t)
//          ^~~~ ACC262
        for (int i = 0; i < n; ++i)
            t += b[i];
        b[0] = t;
    }
}
