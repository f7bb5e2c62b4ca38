struct pair {
    int value;
};
float v __attribute__((vector_size(16)));

void f(struct pair *p, int *a, int n)
{
#pragma acc parallel loop copyin(p[0:n]) copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        a[i] = sizeof v;
//             ^~~~~~ ACC324
    }
}
