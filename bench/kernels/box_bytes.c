/* A mean of 3 x 3 pixels of one byte each. */
#include "problem.h"

static void blur(int h, int w, const unsigned char *restrict in, unsigned char *restrict out)
{
#pragma acc parallel loop collapse(2) copyin(in[0:h*w]) copy(out[0:h*w])
    for (int y = 1; y < h - 1; ++y)
        for (int x = 1; x < w - 1; ++x) {
            int sum = 0;
#pragma acc cache(in[y-1:3][x-1:3])
            for (int r = y - 1; r <= y + 1; ++r)
                for (int c = x - 1; c <= x + 1; ++c)
                    sum += in[r * w + c];
            out[y * w + x] = sum / 9;
        }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 514);
    ALLOCATE(unsigned char, in, n * n);
    ALLOCATE(unsigned char, out, n * n);
    for (int i = 0; i < n * n; ++i)
        in[i] = out[i] = (unsigned char)(255 * input(i));
    blur(n, n, in, out);
    REPORT(out, n * n, (n - 2) * (n - 2));
    return 0;
}
