int length(void);
int width(int n);

void f(float *a, int n)
{
#pragma acc parallel loop copy(a[0:length()])
//                                 ^~~~~~~~ ACC251
    for (int i = 0; i < n; ++i)
        a[i] = 0;
#pragma acc parallel loop gang num_gangs(width(n)) copy(a[0:n])
//                                       ^~~~~~~~ ACC251
    for (int i = 0; i < n; ++i)
        a[i] = 0;
#pragma acc parallel loop if(length() > 3) copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = 0;
#pragma acc data copy(a[0:length()])
    {
#pragma acc parallel loop
        for (int i = 0; i < n; ++i)
            a[i] = 0;
    }
}
