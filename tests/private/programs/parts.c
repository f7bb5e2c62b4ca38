// Structures and their members, small types and compound assignments, at places that no line is aligned to.
#include <stdio.h>
#include <stdlib.h>
typedef struct { short tag; int weight; double value; } item;
typedef struct { unsigned char r, g, b; } pixel;
static void f(const item *restrict in, pixel *restrict p, short *restrict sums, double *restrict out, int threads, int m)
{
    int n = threads * m;
#pragma acc parallel loop copyin(in[0:n]) copy(p[0:n], sums[0:n]) copyout(out[0:n])
    for (int t = 0; t < threads; ++t) {
#pragma acc loop seq
        for (int i = t * m; i < (t + 1) * m; ++i) {
#pragma acc cache(in, p, sums, out)
            item x = in[i];
            if (x.tag % 3)
                p[i].g += x.weight;
            p[i].r = p[i].b;
            if (i % 5 == 0) {
                pixel q = {1, 2, (unsigned char)i};
                p[i] = q;
            }
            sums[i] += i > t * m ? sums[i - 1] : in[i].weight;
            sums[i]++;
            out[i] = x.value * in[i].weight;
        }
    }
}
int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 70, m = argc > 2 ? atoi(argv[2]) : 37, n = threads * m;
    item *in = malloc(n * sizeof *in); pixel *p = malloc(n * sizeof *p); short *s = malloc(n * sizeof *s); double *o = malloc(n * sizeof *o);
    for (int i = 0; i < n; ++i) {
        in[i] = (item){i % 7, i * 3, i * 0.5};
        p[i] = (pixel){i, i + 1, i + 2};
        s[i] = i % 100;
        o[i] = -1;
    }
    f(in, p, s, o, threads, m);
    unsigned long long h = 0;
    for (int i = 0; i < n; ++i)
        h = (((h * 31 + p[i].r) * 31 + p[i].g) * 31 + p[i].b) * 31 + (unsigned short)s[i] + (unsigned long long)o[i];
    printf("%llu\n", h);
    return 0;
}
