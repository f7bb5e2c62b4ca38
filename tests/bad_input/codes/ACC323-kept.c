// who got an address may change the variable in any later call; a pointer tells nobody what is called
static int *kept;
static int columns = 8;
static void keep(int *p) { kept = p; }
static void change(void) { *kept += 1; }

void f(int m, float *b)
{
    keep(&m);
    float a[4][m];
    change();
#pragma acc parallel loop copyout(a, b[0:4])
//          ^~~~~~~~~~~~~ ACC323
    for (int i = 0; i < 4; ++i)
        b[i] = a[i][0] = i;
}

void g(void (*call)(void), float *b)
{
    float a[4][columns];
    call();
#pragma acc parallel loop copyout(a, b[0:4])
//          ^~~~~~~~~~~~~ ACC323
    for (int i = 0; i < 4; ++i)
        b[i] = a[i][0] = i;
}

static void indirect(void (*call)(void)) { call(); }

void h(void (*call)(void), float *b)
{
    float a[4][columns];
    indirect(call);
#pragma acc parallel loop copyout(a, b[0:4])
//          ^~~~~~~~~~~~~ ACC323
    for (int i = 0; i < 4; ++i)
        b[i] = a[i][0] = i;
}
