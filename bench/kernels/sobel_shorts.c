/* Edges of a picture of 16-bit pixels, an outer-only loop. */
#include "problem.h"

static void sobel(int h, int w, const short *restrict in, short *restrict out)
{
#pragma acc parallel loop copyin(in[0:h*w]) copy(out[0:h*w])
    for (int y = 1; y < h - 1; ++y)
        for (int x = 1; x < w - 1; ++x) {
            const short *p = in + y * w + x;
            int gx = p[-w + 1] + 2 * p[1] + p[w + 1] - p[-w - 1] - 2 * p[-1] - p[w - 1];
            int gy = p[w - 1] + 2 * p[w] + p[w + 1] - p[-w - 1] - 2 * p[-w] - p[-w + 1];
            int sum = abs(gx) + abs(gy);
            out[y * w + x] = sum > 32767 ? 32767 : sum;
        }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 514);
    ALLOCATE(short, in, n * n);
    ALLOCATE(short, out, n * n);
    for (int i = 0; i < n * n; ++i)
        in[i] = out[i] = (short)(1024 * input(i));
    sobel(n, n, in, out);
    REPORT(out, n * n, (n - 2) * (n - 2));
    return 0;
}
