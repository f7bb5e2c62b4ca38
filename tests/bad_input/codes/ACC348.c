#pragma acc routine vector
int count(const int *a, int n);
void f(int *a, int n)
{
#pragma acc parallel loop gang copy(a[0:n*n])
    for (int i = 0; i < n; ++i)
        a[i] = i > 3 && count(a + i * n, n);
//                      ^~~~~ ACC348
}
