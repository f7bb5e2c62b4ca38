void f(float *a, int n)
{
#pragma acc loop
//          ^~~~ ACC243
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
