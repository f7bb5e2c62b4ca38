struct __attribute__((packed)) pair { char kind; int value; };

void f(struct pair *p, int *a, int n)
{
#pragma acc parallel loop copyin(p[0:n]) copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        a[i] = p[i].value;
//             ^ ACC324
    }
}
