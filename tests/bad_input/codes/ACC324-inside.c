struct pair {
    struct {
        char kind;
        int value __attribute__((packed));
    } both;
};

void f(struct pair *p, int *a, int n)
{
#pragma acc parallel loop copyin(p[0:n]) copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        a[i] = p[i].both.value;
//             ^ ACC324
    }
}
