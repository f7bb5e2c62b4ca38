void f(float *a, int n)
{
#pragma acc wait
//          ^~~~ ACC240
    a[0] = n;
}
