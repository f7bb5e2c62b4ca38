void f(int *p, int n)
{
    int first = 1;
#pragma acc parallel num_gangs(2) copy(p[0:5])
    {
        first = 2;
#pragma acc loop gang vector reduction(+:p[first:3])
//                                       ^ ACC262
        for (int i = 0; i < n; i++)
            p[2 + i % 3] += i;
    }
#pragma acc parallel num_gangs(2) copy(p[0:5])
    {
        int own = 2;
#pragma acc loop gang reduction(+:p[own:3])
//                                ^ ACC262
        for (int i = 0; i < n; i++)
            p[own + i % 3] += i;
    }
}
