void f(double *p, int m)
{
#pragma acc parallel copy(p[0:2 * m])
    {
        typedef double row[m];
//                     ^~~ ACC301
        ((row *)p)[1][0] = 1;
    }
}
