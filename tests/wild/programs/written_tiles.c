/* Tiles that are written: who owns which element, and what has to be loaded before and stored afterwards. */
#include "show.h"

/* Each iteration owns one element, but it is not the one of its subarray. */
void beside_the_range(float *restrict a, const float *restrict b, int n)
{
#pragma acc parallel loop copy(a[0:n+1]) copyin(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:1]) /* auto: rbc block */
        a[i + 1] = b[i] * 2;
    }
}

/* Two copies of an element in two tiles would not know of each other's writes. */
void copied_twice(float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop copy(a[0:n], b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:1]) /* auto: none ACC402 copies of its own */
        {
            a[i] = b[i] + 1;
            for (int t = 0; t < 2; ++t) {
#pragma acc cache(a[i:1]) /* auto: rbi block */
                b[i] += a[i];
            }
        }
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 700);
    float *a = new_floats(n + 1, 1), *b = new_floats(n, 2);
    beside_the_range(a, b, n);
    SHOW("beside_the_range", a, n + 1);
    copied_twice(a, b, n);
    SHOW("copied_twice", b, n);
    return 0;
}
