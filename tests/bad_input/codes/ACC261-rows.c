void f(float *b, int n)
{
    float a[4][8];
#pragma acc parallel loop private(a[0:2][2:2]) copy(b[0:n])
//                                ^ ACC261
    for (int i = 0; i < n; ++i) {
        a[0][2] = b[i];
        b[i] = 2 * a[0][2];
    }
}
