#pragma acc routine seq
void clear(int *a, int n)
{
#pragma acc loop worker
//          ^~~~ ACC346
    for (int i = 0; i < n; ++i) {
#pragma acc loop vector
//          ^~~~ ACC346
        for (int j = 0; j < n; ++j)
            a[i * n + j] = 0;
    }
}
