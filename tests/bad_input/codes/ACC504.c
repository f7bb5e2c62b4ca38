struct uint4 {
    unsigned low, high;
};
void zero(struct uint4 *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        struct uint4 zero = {0, 0};
//             ^~~~~ ACC504
        a[i] = zero;
        a[n - 1 - i] = (struct uint4){0, 0};
    }
}
