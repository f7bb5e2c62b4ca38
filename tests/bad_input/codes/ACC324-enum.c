enum __attribute__((packed)) kind { one, two };
struct pair {
    enum kind kind;
};

void f(struct pair *p, int *a, int n)
{
#pragma acc parallel loop copyin(p[0:n]) copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        a[i] = p[i].kind;
//             ^ ACC324
    }
}
