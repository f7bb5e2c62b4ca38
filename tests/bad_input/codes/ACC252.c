struct table {
    float *rows;
};

void f(float *a, struct table *t, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copyout(a[n:n])
//                                               ^ ACC252
    for (int i = 0; i < n; ++i)
        a[n + i] = a[i];
#pragma acc parallel loop copyin(a[0:n]) copyout(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] += 1;
#pragma acc parallel loop present(a[0:n]) copy(a[0:n])
//                                             ^ ACC252
    for (int i = 0; i < n; ++i)
        a[i] += 1;
#pragma acc parallel loop copyin(t[0:1]) copy(t->rows[0:n], t->rows[2*n:n])
//                                                          ^~~~~~~ ACC252
    for (int i = 0; i < n; ++i)
        t->rows[i] += t->rows[2 * n + i];
#pragma acc parallel loop copy(a[0:n]) copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] += 1;
#pragma acc data copy(a[0:n], a[2*n:n])
    {
#pragma acc parallel loop present(a[2*n:n])
        for (int i = 2 * n; i < 3 * n; ++i)
            a[i] += 1;
    }
}
