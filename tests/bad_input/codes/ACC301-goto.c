void f(int *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        if (a[i] > 0)
            goto next;
//          ^~~~ ACC301
        a[i] = 1;
    next:
        a[i] += 1;
    }
}
