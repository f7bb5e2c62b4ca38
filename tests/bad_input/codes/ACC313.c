void f(float *a, int n)
{
#pragma acc parallel loop gang copy(a[0:n])
    for (int i = 0; i < n; ++i) {
    here: {
//  ^~~~ ACC313
#pragma acc loop vector
        for (int j = 0; j < n; ++j)
            a[j] = i;
        }
    }
}
