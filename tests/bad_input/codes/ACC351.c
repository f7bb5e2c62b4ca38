#pragma acc routine vector
void clear(int *a, int n);
void f(int *a, int n)
{
#pragma acc parallel loop gang copy(a[0:n*n])
    for (int i = 0; i < n; i += 4) {
#pragma acc loop worker
//          ^~~~ ACC351
        for (int k = 0; k < 4; ++k)
            clear(a + (i + k) * n, n);
    }
}
