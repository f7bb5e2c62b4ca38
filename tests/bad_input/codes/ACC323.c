void f(int n)
{
    float a[n];
    n = n / 2;
#pragma acc parallel loop
//          ^~~~~~~~~~~~~ ACC323
    for (int i = 0; i < n; ++i)
        a[i] = i;
}
