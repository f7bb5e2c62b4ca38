/* Products and quotients of complex numbers at the edges of what numbers there are, bit by bit. */
#include <complex.h>

#include "show.h"

#define INFINITE __builtin_inf()
static const double EDGES[] = {0.0,    -0.0,   1,     -1,     0.3,    -2.7,    5e-324, -5e-324, 1e-310, 2.3e-308, -1e-300,
                               1e-160, 3e-16,  1e16,  -1e150, 1e300,  -1e300,  1.6e308, -1.7e308, 1e38,  -3e38,    1e-38,
                               1e-44,  7e-46,  INFINITE, -INFINITE, INFINITE - INFINITE};
#define COUNT (int)(sizeof EDGES / sizeof EDGES[0])

static double edge(int i, int salt)
{
    double x = EDGES[noise(i, salt) % COUNT];
    return noise(i, salt + 1) % 2 ? x : x * (1 + noise(i, salt + 2) / 7e3);
}

/* What is no number may have any sign and any bits. */
static void show_numbers(const char *name, const double *data, int count)
{
    double *same = (double *)malloc((count + 1) * sizeof *same);
    for (int i = 0; i < count; ++i)
        same[i] = data[i] == data[i] ? data[i] : 12345;
    SHOW(name, same, count);
    free(same);
}

int main(int argc, char **argv)
{
    int salt = size_argument(argc, argv, 1), n = 2000;
    double _Complex *z = malloc(n * sizeof *z), *w = malloc(n * sizeof *w);
    float _Complex *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v);
    double *d = malloc(12 * n * sizeof *d), *f = malloc(12 * n * sizeof *f);
    for (int i = 0; i < n; ++i) {
        u[i] = z[i] = CMPLX(edge(i, salt), edge(i, salt + 10));
        v[i] = w[i] = CMPLX(edge(i, salt + 20), edge(i, salt + 30));
    }
#pragma acc parallel loop copyin(z[0:n], w[0:n], u[0:n], v[0:n]) copyout(d[0:12*n], f[0:12*n])
    for (int i = 0; i < n; ++i) {
        double _Complex list[6] = {z[i] * w[i], z[i] / w[i], creal(z[i]) / w[i], creal(z[i]) * w[i], z[i] / creal(w[i]),
                                   creal(z[i]) - w[i]};
        float _Complex small[6] = {u[i] * v[i], u[i] / v[i], crealf(u[i]) / v[i], crealf(u[i]) * v[i],
                                   u[i] / crealf(v[i]), u[i] - crealf(v[i])};
        for (int k = 0; k < 6; ++k) {
            d[12 * i + 2 * k] = creal(list[k]);
            d[12 * i + 2 * k + 1] = cimag(list[k]);
            f[12 * i + 2 * k] = crealf(small[k]);
            f[12 * i + 2 * k + 1] = cimagf(small[k]);
        }
    }
    for (int i = 0; i < n; i += 100) {
        show_numbers("double", d + 12 * i, 1200);
        show_numbers("float", f + 12 * i, 1200);
    }
    return 0;
}
