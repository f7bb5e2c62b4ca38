void f(float *a, int n)
{
    int last, t;
#pragma acc parallel if(n > 1000) copy(a[0:n]) copyout(last)
    {
#pragma acc loop private(last)
//          ^~~~ ACC250
        for (int i = 0; i < n; ++i) {
            last = 2 * i;
            a[i] = last;
        }
    }
#pragma acc parallel if(n > 1000) copy(a[0:n])
    {
        t = 3;
#pragma acc loop gang private(t)
//          ^~~~ ACC250
        for (int i = 0; i < n; ++i) {
            t = 2 * i;
            a[i] += t;
        }
        a[0] = t;
    }
#pragma acc parallel loop if(n > 1000) copy(a[0:n]) private(t)
    for (int i = 0; i < n; ++i) {
        t = 2 * i;
        a[i] += t;
    }
}
