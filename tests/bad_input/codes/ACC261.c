void f(float *a, float *b, int n)
{
#pragma acc parallel loop private(a[0:]) copy(b[0:n])
//                                ^ ACC261
    for (int i = 0; i < n; ++i) {
        a[0] = b[i];
        b[i] = 2 * a[0];
    }
}
