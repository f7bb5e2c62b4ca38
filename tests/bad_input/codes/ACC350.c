#pragma acc routine vector
void next(int *k, int n);
void f(int *a, int n)
{
#pragma acc parallel loop gang copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k)
            next(&k, n);
//                ^ ACC350
        a[i] = n;
    }
}
