void f(float *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        long double x = a[i];
//                  ^ ACC319
        a[i] = 1;
    }
}

int no_type(int *a, int n)
{
    float float x = 1;
#pragma acc parallel loop copy(a[0:n]) reduction(+: x)
    for (int i = 0; i < n; ++i)
        x += a[i];
//      ^ ACC319
    return x;
}
