void f(float *a, int *b, int n)
{
#pragma acc parallel loop gang copy(a[0:n], b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc loop worker
        for (int j = 0; j < n; ++j) {
            int count = 0;
            b[j] = count++;
//          ^ ACC315
#pragma acc loop vector
            for (int k = 0; k < n; ++k)
                a[k] = count;
        }
    }
}
