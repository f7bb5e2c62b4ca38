/* Forces between all pairs of bodies, kept in four arrays, read in chunks. */
#include "problem.h"
#define CHUNK 128

static void attract(int n, const float *restrict x, const float *restrict y, const float *restrict z,
                    const float *restrict m, float *restrict fx, float *restrict fy, float *restrict fz)
{
#pragma acc parallel loop copyin(x[0:n], y[0:n], z[0:n], m[0:n]) copyout(fx[0:n], fy[0:n], fz[0:n])
    for (int i = 0; i < n; ++i) {
        float ax = 0, ay = 0, az = 0;
        for (int t = 0; t < n; t += CHUNK) {
#pragma acc cache(x[t:CHUNK], y[t:CHUNK], z[t:CHUNK], m[t:CHUNK])
            for (int j = t; j < t + CHUNK && j < n; ++j) {
                const float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
                const float r = dx * dx + dy * dy + dz * dz + 0.01f;
                const float s = m[j] / (r * sqrtf(r));
                ax += s * dx;
                ay += s * dy;
                az += s * dz;
            }
        }
        fx[i] = ax;
        fy[i] = ay;
        fz[i] = az;
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 512);
    ALLOCATE(float, x, 4 * n);
    ALLOCATE(float, f, 3 * n);
    FILL(x, 4 * n);
    attract(n, x, x + n, x + 2 * n, x + 3 * n, f, f + n, f + 2 * n);
    REPORT(f, 3 * n, (long)n * n);
    return 0;
}
