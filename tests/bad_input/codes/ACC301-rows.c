// kernels see pointers to rows of variable length as flat pointers
void f(int n, int m, float (*a)[m], long *b)
{
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {
        a++;
//      ^ ACC301
        a += 2;
//      ^ ACC301
        b[i] = &a[i] - a;
//              ^ ACC301
    }
}
