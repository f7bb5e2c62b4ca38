void f(float *a, float *b, int n)
{
#pragma acc parallel loop private(a[0:]) copy(b[0:n])
//                                ^ ACC261
    for (int i = 0; i < n; ++i) {
        a[0] = b[i];
        b[i] = 2 * a[0];
    }
#pragma acc parallel loop gang firstprivate(b[0:3], b[n:2]) copy(a[0:n])
//                                                  ^ ACC261
    for (int i = 0; i < n; ++i)
        a[i] = b[i % 3] + b[n + i % 2];
#pragma acc parallel loop gang private(b[0:3], b[0:3]) copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        b[i % 3] = a[i];
        a[i] += b[i % 3];
    }
}
