struct pair;
typedef int wide __attribute__((aligned(16)));
struct pair {
    int value;
};

void f(struct pair *p, int *a, int n)
{
#pragma acc parallel loop copyin(p[0:n]) copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        a[i] = sizeof(wide);
//             ^~~~~~ ACC324
    }
}
