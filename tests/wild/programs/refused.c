/* What the directive cannot do, or what its writer did not mean: said so, and without effect on the result. */
#include "show.h"

typedef struct {
    int ncols, nrows;
    float *data;
} Image;

typedef struct {
    float weight[4];
    float shift;
} Filter;

void member_of_a_structure(const Image *img, float *restrict out, int r)
{
    int ncols = img->ncols, count = img->nrows * ncols;
    float *data = img->data;
#pragma acc parallel loop collapse(2) copyin(data[0:count]) copyout(out[0:count])
    for (int j = 0; j < count / ncols; ++j)
        for (int i = 0; i < ncols; ++i) {
            float sum = 0;
            int first = i - r > 0 ? i - r : 0, last = i + r < ncols ? i + r : ncols - 1;
#pragma acc cache(data[j*ncols + first : last - first + 1]) /* auto: none ACC402 lower bound */
            for (int k = first; k <= last; ++k)
                sum += data[j * ncols + k];
            out[j * ncols + i] = sum / (last - first + 1);
        }
}

/* A member, reached as most programs do. */
void member_through_a_pointer(const float *restrict a, float *restrict out, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copy(out[0:n])
    for (int i = 1; i < n - 1; ++i) {
        Image view, *img = &view;
        view.ncols = n;
        view.data = (float *)a;
#pragma acc cache(img->data[0*img->ncols + i - 1 : 3]) /* auto: none ACC417 member */
        out[i] = img->data[i - 1] + img->data[i + 1];
    }
}

void in_front_of_the_construct(const float *restrict in, float *restrict out, int n)
{
#pragma acc cache(in[0:8])
#pragma acc parallel loop copyin(in[0:n]) copyout(out[0:n])
    for (int i = 0; i < n; ++i)
        out[i] = in[i] * 2;
}

void in_front_of_the_loop(const float *restrict in, float *restrict out, int n)
{
#pragma acc parallel copyin(in[0:n]) copyout(out[0:n])
    {
#pragma acc cache(in[0:8]) /* auto: none ACC402 outside */
#pragma acc loop gang vector
        for (int i = 0; i < n; ++i)
            out[i] = in[i] * 3;
    }
}

void a_scalar(float *restrict out, int n)
{
    float weight = 1.5f;
#pragma acc parallel loop copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(weight) /* auto: register ACC403 register */
        out[i] = weight * i;
    }
}

void a_whole_structure(float *restrict out, int n)
{
    Filter filter = {{1, 2, 3, 4}, 5};
#pragma acc parallel loop copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(filter) /* auto: none ACC414 structure */
        out[i] = filter.weight[i % 4] * i + filter.shift;
    }
}

void a_pointer_without_bounds(const float *restrict in, float *restrict out, int n)
{
#pragma acc parallel loop copyin(in[0:n]) copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(in) /* auto: none ACC415 length */
        out[i] = in[i] + in[n - 1 - i];
    }
}

void too_big(const float *restrict in, float *restrict out, int n)
{
#pragma acc parallel loop copyin(in[0:200000]) copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(in[0:200000]) /* auto: none ACC416 */
        out[i] = in[i] + in[199999 - i];
    }
}

/* The second number is meant as an end. Threads far up would need a tile as big as the array. */
void a_length_that_is_an_end(const float *restrict in, float *restrict out, int n)
{
#pragma acc parallel loop copyin(in[0:n+4]) copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
        float sum = 0;
#pragma acc cache(in[i:i+4]) /* auto: rbi block ACC412 */
        for (int k = i; k < i + 4; ++k)
            sum += in[k];
        out[i] = sum;
    }
}

void inclusive_bounds(const float *restrict A, float *restrict out, int n)
{
#pragma acc parallel loop copyin(A[0:n]) copy(out[0:n])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(A[i-1:i+1]) /* auto: rbi block ACC413 */
        out[i] = A[i - 1] + A[i] + A[i + 1];
    }
}

void a_count_that_is_an_end(const float *restrict in, float *restrict out, int blocks)
{
#pragma acc parallel loop gang copyin(in[0:blocks*32]) copyout(out[0:blocks*32])
    for (int b = 0; b < blocks; ++b) {
        int start = b * 32, count = 32;
#pragma acc loop vector
        for (int k = 0; k < 32; ++k) {
#pragma acc cache(in[start:start+count]) /* auto: rbi ACC412 */
            out[start + k] = in[start + 31 - k] - in[start + k];
        }
    }
}

void address_taken(float *restrict a, float *restrict out, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copy(out[0:n])
    for (int i = 0; i < n - 1; ++i) {
#pragma acc cache(a[i:2]) /* auto: none ACC418 other than by its elements */
        {
            const float *element = &a[i];
            out[i] = element[0] + element[1];
        }
    }
}

void changing_bound(const float *restrict a, float *restrict out, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
        int at = i;
        float sum = 0;
#pragma acc cache(a[at:2]) /* auto: none ACC402 changes */
        for (; at < i + 2 && at < n; ++at)
            sum += a[at];
        out[i] = sum;
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300);
    float *in = new_floats(200000, 1), *out = new_floats(n * 32, 2);
    Image image = {30, n, in};
    member_of_a_structure(&image, out, 2);
    SHOW("member_of_a_structure", out, n * 30);
    member_through_a_pointer(in, out, n);
    SHOW("member_through_a_pointer", out, n);
    in_front_of_the_construct(in, out, n);
    SHOW("in_front_of_the_construct", out, n);
    in_front_of_the_loop(in, out, n);
    SHOW("in_front_of_the_loop", out, n);
    a_scalar(out, n);
    SHOW("a_scalar", out, n);
    a_whole_structure(out, n);
    SHOW("a_whole_structure", out, n);
    a_pointer_without_bounds(in, out, n);
    SHOW("a_pointer_without_bounds", out, n);
    too_big(in, out, n);
    SHOW("too_big", out, n);
    a_length_that_is_an_end(in, out, n);
    SHOW("a_length_that_is_an_end", out, n);
    inclusive_bounds(in, out, n);
    SHOW("inclusive_bounds", out, n);
    a_count_that_is_an_end(in, out, n);
    SHOW("a_count_that_is_an_end", out, n * 32);
    address_taken(in, out, n);
    SHOW("address_taken", out, n - 1);
    changing_bound(in, out, n);
    SHOW("changing_bound", out, n);
    return 0;
}
