struct named {
    const int label;
    int value;
};
typedef const struct {
    int value;
} only_name;
void f(const struct named *restrict a, only_name *restrict b, int *restrict c, int n)
{
#pragma acc parallel loop copyin(a[0:n], b[0:n]) copyout(c[0:n])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(a[i-1:3], b[i-1:3])
//                ^ ACC402
//                          ^ ACC402
        c[i] = a[i - 1].value * a[i + 1].value + b[i - 1].value * b[i + 1].value;
    }
}
