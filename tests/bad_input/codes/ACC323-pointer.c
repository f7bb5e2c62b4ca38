void change(int *size);
void f(int n)
{
    int *p = &n;
    float y[n];
    change(p);
#pragma acc parallel loop copyout(y)
//          ^~~~~~~~~~~~~ ACC323
    for (int i = 0; i < n; ++i)
        y[i] = i;
}
