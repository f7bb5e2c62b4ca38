void f(int n, const float *restrict a, float *restrict b)
{
    float t, u;
    int before[4];
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n]) private(t, u, before)
    for (int i = 0; i < n; ++i) {
        t += a[i];
//      ^ ACC333
        u = a[i];
        if (i > 0)
            b[i] = t + u + before[i % 4];
//                         ^~~~~~ ACC333
    }
}
