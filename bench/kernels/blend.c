/* One image blended over another, a structure of four floats a pixel, each named by a cache directive. */
#include "problem.h"

struct pixel {
    float red, green, blue, alpha;
};

static void blend(int n, const struct pixel *restrict over, const struct pixel *restrict under, struct pixel *restrict out)
{
#pragma acc parallel loop copyin(over[0:n], under[0:n]) copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(over[i:1], under[i:1])
        const float alpha = over[i].alpha, rest = 1 - alpha;
        out[i].red = alpha * over[i].red + rest * under[i].red;
        out[i].green = alpha * over[i].green + rest * under[i].green;
        out[i].blue = alpha * over[i].blue + rest * under[i].blue;
        out[i].alpha = alpha + rest * under[i].alpha;
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 65536);
    ALLOCATE(struct pixel, over, n);
    ALLOCATE(struct pixel, under, n);
    ALLOCATE(struct pixel, out, n);
    FILL((float *)over, 4 * n);
    FILL((float *)under, 4 * n);
    blend(n, over, under, out);
    REPORT((float *)out, 4 * n, n);
    return 0;
}
