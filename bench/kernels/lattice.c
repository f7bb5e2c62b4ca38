/* One step of a lattice Boltzmann method with nine velocities in two dimensions: stream and collide. */
#include "problem.h"
#define Q 9

static void step(int h, int w, const float *restrict from, float *restrict to)
{
    const int n = h * w;
#pragma acc parallel loop gang worker copyin(from[0:Q*n]) copy(to[0:Q*n])
    for (int y = 1; y < h - 1; ++y) {
#pragma acc loop vector
        for (int x = 1; x < w - 1; ++x) {
            static const int cx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
            static const float weight[Q] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
            float f[Q], rho = 0, ux = 0, uy = 0;
            for (int q = 0; q < Q; ++q) {
                f[q] = from[q * n + (y - cy[q]) * w + x - cx[q]];
                rho += f[q];
                ux += cx[q] * f[q];
                uy += cy[q] * f[q];
            }
            ux /= rho;
            uy /= rho;
            for (int q = 0; q < Q; ++q) {
                const float cu = 3 * (cx[q] * ux + cy[q] * uy);
                const float even = weight[q] * rho * (1 + cu + cu * cu / 2 - 1.5f * (ux * ux + uy * uy));
                to[q * n + y * w + x] = f[q] + 0.6f * (even - f[q]);
            }
        }
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 130), count = Q * n * n;
    ALLOCATE(float, from, count);
    ALLOCATE(float, to, count);
    for (int i = 0; i < count; ++i)
        from[i] = to[i] = 0.1f + (float)input(i) / 64;
    step(n, n, from, to);
    REPORT(to, count, (n - 2) * (n - 2));
    return 0;
}
