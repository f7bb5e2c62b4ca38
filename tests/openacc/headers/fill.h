#define NAME2(type) fill_##type
#define NAME(type) NAME2(type)
static void NAME(TYPE)(TYPE *a, TYPE value, int n)
{
#pragma acc parallel loop copyout(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = value;
}
#undef NAME
#undef NAME2
