/* A filter of 5 x 5 weights over a picture of floats. */
#include "problem.h"
#define R 2

static void filter(int h, int w, const float *restrict weight, const float *restrict in, float *restrict out)
{
#pragma acc parallel loop collapse(2) copyin(weight[0:25], in[0:h*w]) copy(out[0:h*w])
    for (int y = R; y < h - R; ++y)
        for (int x = R; x < w - R; ++x) {
            float sum = 0;
#pragma acc cache(in[y-R:2*R+1][x-R:2*R+1])
            for (int dy = -R; dy <= R; ++dy)
                for (int dx = -R; dx <= R; ++dx)
                    sum += weight[(dy + R) * 5 + dx + R] * in[(y + dy) * w + x + dx];
            out[y * w + x] = sum;
        }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 516);
    float weight[25];
    ALLOCATE(float, in, n * n);
    ALLOCATE(float, out, n * n);
    FILL(weight, 25);
    FILL(in, n * n);
    FILL(out, n * n);
    filter(n, n, weight, in, out);
    REPORT(out, n * n, (n - 4) * (n - 4));
    return 0;
}
