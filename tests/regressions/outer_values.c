/* Values that are no polynomials of loop variables (quotients, what outer loops load), in indices and directives. */
#include <stdio.h>
#include <stdlib.h>
typedef struct { int first; short count; float scale; } part;

int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[1]) : 6, h = 21, w = 70, total = 12*h*w;
    int *off = malloc(n*sizeof *off), *twice = malloc(2*total*sizeof *twice);
    part *parts = malloc(n*sizeof *parts);
    float *x = malloc(total*sizeof *x), *y = malloc(total*sizeof *y);
    for (int i = 0; i < total; i++) { x[i] = i % 19 - 4; y[i] = 0; twice[i] = i % 7; twice[total + i] = i % 5; }
    for (int i = 0; i < n; i++) { off[i] = (i*5) % 3; parts[i].first = i*w; parts[i].count = 3 + i % 2; parts[i].scale = i*0.5f; }
    /* a quotient and a rest of the outer index */
#pragma acc parallel loop collapse(3) copyin(x[0:total]) copy(y[0:total])
    for (int t = 0; t < 2*n; t++)
        for (int i = 0; i < h; i++)
            for (int j = 1; j < w - 1; j++) {
                int b = t/2, k = t % 2;
#pragma acc cache(x[(b*h + i)*w + j - 1:3])
                y[(t*h + i)*w + j] = x[(b*h + i)*w + j - 1] + 2*x[(b*h + i)*w + j] + k*x[(b*h + i)*w + j + 1];
            }
    /* four loops, of which the outer two become one */
#pragma acc parallel loop collapse(4) copyin(x[0:total]) copy(y[0:total])
    for (int b = 0; b < n; b++)
        for (int k = 1; k >= 0; k--)
            for (int i = 2; i < h; i++)
                for (int j = 0; j < w; j += 3) {
#pragma acc cache(x[(b*2 + k)*w:w])
                    float s = 0;
                    for (int q = 0; q < 4; q++)
                        s += x[(b*2 + k)*w + (j + q) % w];
                    y[((b*2 + k)*h + i)*w + j] += s;
                }
    /* what the outer loop loads, and what it must load again: an array that is written */
#pragma acc parallel loop collapse(2) copyin(x[0:total], off[0:n], parts[0:n]) copy(y[0:total])
    for (int b = 0; b < n; b++)
        for (int j = 0; j < w; j++) {
            int o = off[b];
            part p = parts[b];
            float s = 0, old = y[p.first + j];
            for (int q = 0; q < p.count; q++)
                s += x[(o*h + q)*w + j]*p.scale;
            y[p.first + j] = s + old;
        }
    /* two iterations meet in each element: no threads side by side */
#pragma acc kernels copyin(x[0:total]) copy(twice[0:2*total])
    {
        for (int i = 0; i < total; i++) {
            int half = i/2;
            twice[half] = 3*twice[half] % 101 + (int)x[i];
        }
        for (int i = 0; i < 600; i++) {
            unsigned char low = i;
            twice[low] = 5*twice[low] % 103 + i;
        }
        for (int i = 1; i < total; i++) {
            short s = i*3;
            int at = s < 0 ? 0 : s % 7;
            twice[at] += twice[i] % 9;
        }
    }
    double sum = 0;
    for (int i = 0; i < total; i++)
        sum += (i % 13 + 1)*(double)y[i] + (i % 11 + 1)*(double)twice[i];
    printf("%.9g\n", sum);
    return 0;
}
