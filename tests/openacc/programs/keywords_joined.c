/* Names that mean something in C++ or CUDA only, of all kinds, in a file that becomes one .cu. */
#include <stdio.h>
#include <stdlib.h>

#define SWAP(a, b)                                                                                                     \
    do {                                                                                                               \
        float *this = a;                                                                                               \
        a = b;                                                                                                         \
        b = this;                                                                                                      \
    } while (0)

struct class {
    int new, old;
    struct class *this;
};
enum operator { explicit = 3, public };
typedef double private;
struct dim3 {
    int a;
};
static float all[10];

static inline int template(int x)
{
    return x + explicit;
}

static int try(struct class *c)
{
    return c->new;
}

static void step(int n, const float *old, float *new, float delete)
{
#pragma acc parallel loop present(old[0:n*n], new[0:n*n]) copyin(all)
    for (int i = 1; i < n - 1; ++i)
        for (int j = 1; j < n - 1; ++j) {
            float and = old[i * n + j - 1] + old[i * n + j + 1];
            new[i * n + j] = 0.25f * (and + old[(i - 1) * n + j] + old[(i + 1) * n + j]) * delete + all[j % 10];
        }
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 40;
    float *old = malloc(n * n * sizeof *old), *new = malloc(n * n * sizeof *new);
    int operator = 0, protected = 0;
    struct class items[50];
    private sums[50], total = 0;
    struct dim3 d = {5};
    for (int i = 0; i < n * n; ++i)
        old[i] = new[i] = i % 13;
    for (int i = 0; i < 10; ++i)
        all[i] = i * 0.01f;
#pragma acc data copy(old[0:n*n], new[0:n*n])
    {
        for (int t = 0; t < 4; ++t) {
            step(n, old, new, 0.99f);
            SWAP(old, new);
        }
#pragma acc update self(new[0:1])
#pragma acc parallel loop reduction(+:operator) if (n > 0)
        for (int i = 0; i < n * n; ++i)
            operator += (int)(old[i] - 2 * new[i]);
#pragma acc parallel loop reduction(max:protected)
        for (int i = 0; i < n * n; ++i)
            protected = old[i] > protected ? (int)old[i] : protected;
    }
    for (int i = 0; i < 50; ++i)
        items[i].new = i, items[i].old = 2 * i;
#pragma acc parallel loop copy(items) copyout(sums)
    for (int i = 0; i < 50; ++i) {
        struct class it = items[i];
        it.new += template(it.old) + public;
        items[i] = it;
        private virtual = it.new * 0.5;
        sums[i] = virtual;
    }
    for (int i = 0; i < 50; ++i)
        total += sums[i] + try(&items[i]);
    printf("%d %d %.9g %g %d\n", operator, protected, new[0], total, d.a);
    for (int i = 0; i < n * n; i += 7)
        printf("%.9g %.9g\n", old[i], new[i]);
    return 0;
}
