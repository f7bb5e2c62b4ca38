void f(float *a, int n)
{
#pragma acc parallel loop gang copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        int count = 0;
        a[i] = count++;
//      ^ ACC315
#pragma acc loop vector
        for (int j = 0; j < n; ++j)
            a[j] = count;
    }
}
