static int twice(int x)
{
    return 2 * x;
}
int half(int x);
void f(int *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        int (*which)(int) = i % 2 ? twice : half;
//                                  ^~~~~ ACC365
//                                          ^~~~ ACC365
        a[i] = which != 0;
    }
}
