int n = 10;

static void shrink(void)
{
    n /= 2;
}

static void indirectly(void)
{
    shrink();
}

void f(void)
{
    n = 20; /* this is before the declaration */
    float a[n];
    indirectly();
#pragma acc parallel loop
//          ^~~~~~~~~~~~~ ACC323
    for (int i = 0; i < n; ++i)
        a[i] = i;
}

void g(void)
{
    indirectly();
    n = 12;
    float a[n];
#pragma acc parallel loop
    for (int i = 0; i < n; ++i)
        a[i] = i;
}
