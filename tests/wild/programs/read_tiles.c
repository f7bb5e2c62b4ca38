/* Read tiles on flat pointers, one dimension. */
#include "show.h"

void before_inner_loop(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
    for (int i = 1; i < n - 1; ++i) {
        float sum = 0;
#pragma acc cache(a[i-1:3]) /* auto: rbi block */
        for (int k = i - 1; k <= i + 1; ++k)
            sum += a[k];
        b[i] = sum / 3;
    }
}

void inside_kernels_loop(const float *restrict a, float *restrict b, int n)
{
#pragma acc kernels loop independent copyin(a[0:n]) copy(b[0:n])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(a[i-1:3]) /* auto: rbi block */
        b[i] = a[i - 1] + 2 * a[i] + a[i + 1];
    }
}

void proved_by_the_dependence_test(const float *restrict a, float *restrict b, int n)
{
#pragma acc kernels copyin(a[0:n]) copy(b[0:n])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(a[i-1:3]) /* auto: rbi block */
        b[i] = a[i - 1] + 2 * a[i] + a[i + 1];
    }
}

void forward(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n+2]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:3]) /* auto: rbi block */
        b[i] = a[i] * a[i + 1] - a[i + 2];
    }
}

void readonly_is_honoured(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(readonly: a[i-1:3]) /* auto: rbi block */
        b[i] = a[i - 1] - a[i + 1];
    }
}

void outside_the_range(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
    for (int i = 2; i < n - 2; ++i) {
#pragma acc cache(a[i-1:3]) /* auto: none ACC419 256 global loads */
        b[i] = a[i - 2] + a[i] + a[i + 2];
    }
}

void one_element_elsewhere(const int *restrict a, int *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[2]) /* auto: any */
        b[i] = n > 2 ? a[i] + a[2] : a[i];
    }
}

void two_arrays(const float *restrict a, const double *restrict c, double *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n], c[0:n]) copy(b[0:n])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(a[i-1:3], c[i:2]) /* auto: rbi block, rbi block */
        b[i] = a[i - 1] * c[i] + a[i + 1] * c[i + 1];
    }
}

void two_directives(const float *restrict a, const float *restrict c, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n], c[0:n]) copy(b[0:n])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(a[i-1:3]) /* auto: rbi block */
#pragma acc cache(c[i-1:3]) /* auto: rbi block */
        b[i] = a[i - 1] * c[i + 1] + a[i + 1] * c[i - 1];
    }
}

void without_restrict(const float *a, float *b, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(a[i-1:3]) /* auto: rbi block */
        b[i] = a[i - 1] + a[i] + a[i + 1];
    }
}

void written_in_place(float *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:1]) /* auto: rbi block */
        {
            a[i] += 1;
            a[i] = a[i] * a[i];
        }
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 1000);
    float *a = new_floats(n + 2, 1), *c = new_floats(n, 2), *b = new_floats(n, 3);
    int *whole = new_ints(n, 4), *result = new_ints(n, 5);
    double *wide = malloc(n * sizeof(double)), *wide_result = malloc(n * sizeof(double));
    for (int i = 0; i < n; ++i) {
        wide[i] = noise(i, 6) / 7.0;
        wide_result[i] = i;
    }
    before_inner_loop(a, b, n);
    SHOW("before_inner_loop", b, n);
    inside_kernels_loop(a, b, n);
    SHOW("inside_kernels_loop", b, n);
    proved_by_the_dependence_test(b, a, n);
    SHOW("proved_by_the_dependence_test", a, n);
    forward(a, b, n);
    SHOW("forward", b, n);
    readonly_is_honoured(a, b, n);
    SHOW("readonly_is_honoured", b, n);
    outside_the_range(a, b, n);
    SHOW("outside_the_range", b, n);
    one_element_elsewhere(whole, result, n);
    SHOW("one_element_elsewhere", result, n);
    two_arrays(a, wide, wide_result, n);
    SHOW("two_arrays", wide_result, n);
    two_directives(a, c, b, n);
    SHOW("two_directives", b, n);
    without_restrict(a, b, n);
    SHOW("without_restrict", b, n);
    written_in_place(c, n);
    SHOW("written_in_place", c, n);
    return 0;
}
