/* Types and constants of the file whose names CUDA or its C library have taken for others. */
#include "show.h"

typedef struct {
    double z, y, x;
} float3;
typedef double rsqrt;
enum side { j0 = 2, j1, norm = 7 };
enum { warpSize = 5 };
struct int2 {
    short x;
    struct int2 *next;
};
struct float4;
typedef struct float4 colour;
struct float4 {
    char red;
};
struct holder {
    struct int2 first;
    float3 where;
};
static const double y0 = 3;

static float3 scaled(float3 a, rsqrt by)
{
    a.x *= by;
    return a;
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300);
    struct holder *held = (struct holder *)calloc(n, sizeof(struct holder));
    colour *colours = (colour *)calloc(n, sizeof(colour));
    int *out = (int *)calloc(n, sizeof(int));
#pragma acc parallel loop copy(held[0:n], colours[0:n]) copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
        struct int2 pair = { i % warpSize, 0 };
        float3 place = { i, 2 * i, y0 };
        enum side clock = i % 2 ? j1 : norm;
        held[i].first = pair;
        held[i].where = scaled(place, clock);
        colours[i].red = i % 100;
        out[i] = sizeof(float3) + sizeof(colour) + clock;
    }
    for (int i = 0; i < n; ++i)
        out[i] += held[i].first.x + (int)held[i].where.x + colours[i].red;
    SHOW("types", out, n);
    free(out);
    free(colours);
    free(held);
    return 0;
}
