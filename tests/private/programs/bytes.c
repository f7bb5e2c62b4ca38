// Members of one byte and compound assignments, at places that no line is aligned to: little enough for two machines.
#include <stdio.h>
#include <stdlib.h>
typedef struct { unsigned char r, g, b; } pixel;
static void f(const short *restrict in, pixel *restrict p, int threads, int m)
{
    int n = threads * m;
#pragma acc parallel loop copyin(in[0:n]) copy(p[0:n])
    for (int t = 0; t < threads; ++t) {
#pragma acc loop seq
        for (int i = t * m; i < (t + 1) * m; ++i) {
#pragma acc cache(in, p)
            if (in[i] % 3)
                p[i].g += in[i];
            p[i].r = p[i].b;
        }
    }
}
int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 70, m = argc > 2 ? atoi(argv[2]) : 37, n = threads * m;
    short *in = malloc(n * sizeof *in);
    pixel *p = malloc(n * sizeof *p);
    for (int i = 0; i < n; ++i) {
        in[i] = i * 7 % 1009;
        p[i] = (pixel){i, i + 1, i + 2};
    }
    f(in, p, threads, m);
    unsigned long long h = 0;
    for (int i = 0; i < n; ++i)
        h = ((h * 31 + p[i].r) * 31 + p[i].g) * 31 + p[i].b;
    printf("%llu\n", h);
    return 0;
}
