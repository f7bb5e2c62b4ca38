void f(float *a, float *c, int n)
{
#pragma acc parallel loop gang copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        int m = i + 1;
#pragma acc loop seq private(c[0:m])
//                           ^ ACC314
        for (int j = 0; j < 4; ++j) {
#pragma acc loop vector
            for (int k = 0; k < m; ++k)
                c[k] = k;
            a[i] += c[j];
        }
    }
}
