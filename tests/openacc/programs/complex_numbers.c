/* Complex numbers: operators, conversions, the functions kernels may call, and every way into a kernel. */
#include <complex.h>
#include <math.h>

#include "show.h"

typedef double _Complex cplx;
struct pair { float _Complex z; int n; };
struct mixed { int n; cplx z[2]; float x; };

#pragma acc routine seq
static cplx turned(cplx z, double x)
{
    if (x > 100)
        return x;
    return z * I + x;
}

static float _Complex scaled(float _Complex z) { return 0.5f * z; }

static cplx *new_numbers(int n, int salt)
{
    cplx *data = (cplx *)malloc((n + 1) * sizeof(cplx));
    for (int i = 0; i < n; ++i)
        data[i] = (noise(i, salt) - 499.5) / 3 + (noise(i, salt + 1) - 499.5) / 7 * I;
    return data;
}

static void operators(int n)
{
    cplx *a = new_numbers(n, 1), *b = new_numbers(n, 3), *r = new_numbers(n, 5);
    float *x = new_floats(n, 7);
#pragma acc parallel loop copyin(a[0:n], b[0:n], x[0:n]) copyout(r[0:n])
    for (int i = 0; i < n; ++i) {
        cplx z = a[i] * b[i] + a[i] / b[i] - -a[i];
        z += b[i], z -= a[i], z *= a[i], z /= b[i];
        z = x[i] + z * x[i] - z / (x[i] + 1);
        z = (x[i] - z) + 3 / z + (z - i) - +z;
        z = i % 3 ? z : x[i];
        z += i, z -= 0.25f, z *= 3, z /= 1 + i;
        r[i] = z * 2.0i + (1 + 0.5if);
    }
    SHOW("operators", r, n);
    int *t = new_ints(n, 9);
#pragma acc parallel loop copyin(a[0:n], b[0:n], x[0:n]) copyout(t[0:n])
    for (int i = 0; i < n; ++i) {
        cplx z = i % 2 ? a[i] : x[i];
        t[i] = (z == a[i]) + 2 * (z != b[i]) + 4 * (z == x[i]) + 8 * (x[i] != z) + 16 * !z;
        if (z && (a[i] || b[i]))
            t[i] += 32;
        t[i] += (z - a[i] ? 64 : 0) + (_Bool)(z * I) + (i - z == 0);
    }
    SHOW("comparisons", t, n);
    free(a), free(b), free(r), free(x), free(t);
}

static void conversions(int n)
{
    cplx *a = new_numbers(n, 11), *b = new_numbers(n, 13);
    float _Complex *f = (float _Complex *)malloc((n + 1) * sizeof *f);
    double *d = (double *)malloc((n + 1) * sizeof *d);
    int *k = new_ints(n, 15);
    for (int i = 0; i < n; ++i)
        f[i] = a[i];
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n], f[0:n], k[0:n]) copyout(d[0:n])
    for (int i = 0; i < n; ++i) {
        cplx c[2] = {1, k[i]}, w = k[i];
        float _Complex e[2][2] = {{a[i], 0.1}, {2}};
        double real[2] = {a[i], 1};
        const float _Complex g = 0.1;
        struct mixed m = {i, {a[i], 4}, b[i]};
        f[i] *= 0.1;
        f[i] += a[i];
        f[i] = f[i] / 3.0f + f[i] * 0.1 - k[i] + a[i] / f[i] + g * scaled(e[0][0]) * e[0][1];
        b[i] = f[i] + c[0] * c[1] + w + turned(f[i], k[i]) + m.z[0] * m.z[1] + m.x + e[1][0] * e[1][1];
        d[i] = a[i] + real[0];
        d[i] += (float)b[i] + (int)a[i];
        d[i] *= b[i];
        d[i] -= m.n + sizeof(cplx) + sizeof b[i] + sizeof(struct mixed) + sizeof e;
        k[i] = a[i];
        b[i] = i % 2 ? f[i] : b[i];
    }
    SHOW("b", b, n);
    SHOW("f", f, n);
    SHOW("d", d, n);
    SHOW("k", k, n);
    free(a), free(b), free(f), free(d), free(k);
}

static void functions(int n, cplx w, const float _Complex v)
{
    cplx *a = new_numbers(n, 21), *r = new_numbers(n, 23);
    double *d = (double *)malloc((n + 1) * sizeof *d);
    struct pair *p = (struct pair *)malloc((n + 1) * sizeof *p);
    cplx last = 7 * I;
    for (int i = 0; i < n; ++i)
        p[i] = (struct pair){a[i], i};
#pragma acc parallel loop copyin(a[0:n]) copy(p[0:n], last) copyout(r[0:n], d[0:n]) firstprivate(w)
    for (int i = 0; i < n; ++i) {
        cplx u = w * a[i];
        r[i] = conj(a[i]) * u + conjf(p[i].z) * v + CMPLX(creal(a[i]), i) + CMPLXF(1, 2);
        d[i] = creal(a[i]) + cimag(r[i]) + crealf(p[i].z) + cimagf(v) + floor(1e3 * cabs(a[i])) + floor(1e3 * cabsf(p[i].z)) + floor(1e3 * sqrt(cabsf(a[i])));
        p[i].z = p[i].z * p[i].n + crealf(a[i]);
        if (i == n - 1)
            last = last * u;
    }
    SHOW("r", r + 1, n - 1);
    SHOW("d", d + 1, n - 1);
    SHOW("p", p, n);
    SHOW("last", &last, 1);
    free(a), free(r), free(d), free(p);
}

static void reductions(int n)
{
    cplx sum = 3 - I, product = 2, sums[2] = {1, I};
    float _Complex small = 0;
    int every = 1;
    cplx some = 0;
#pragma acc parallel loop reduction(+ : sum, small, sums) reduction(* : product) reduction(&& : every) reduction(|| : some)
    for (int i = 0; i < n; ++i) {
        cplx z = i % 10 - i % 7 * I;
        sum += z;
        small = z + small;
        sums[i % 2] -= z;
        product *= i % 2 ? I : -1;
        every = every && z;
        some = some || z == 3;
    }
    SHOW("sum", &sum, 1);
    SHOW("small", &small, 1);
    SHOW("sums", sums, 2);
    printf("product %g %g\n", creal(product) + 0.0, cimag(product) + 0.0); /* zeros of any sign */
    printf("%d %g\n", every, creal(some));
    cplx *rows = new_numbers(20, 31);
#pragma acc parallel loop gang copyout(rows[0:20])
    for (int row = 0; row < 20; ++row) {
        cplx of_row = row, list[3] = {0};
#pragma acc loop worker vector reduction(+ : of_row)
        for (int i = 0; i < n; ++i)
            of_row += (i + row) % 5 * I;
        list[row % 3] = of_row;
        rows[row] = list[0] + list[1] + list[2];
    }
    SHOW("rows", rows, 20);
    free(rows);
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300);
    operators(n);
    conversions(n);
    functions(n, 0.5 - 2 * I, 0.1f + I);
    reductions(n);
    return 0;
}
