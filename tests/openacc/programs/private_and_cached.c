/* Tiles, reductions and arrays share a block's memory: what has no room lies elsewhere, in both versions of a kernel. */
#include "show.h"

enum { ROWS = 2, WORKERS = 3, WIDE = 7100, WINDOW = 200, RESULTS = ROWS * WORKERS * 256 };

/* four workers' arrays and the tile are more than a block has: without the tile they would fit */
static void beside_a_tile(const int *a, int *out)
{
#pragma acc parallel loop gang copy(out[0:RESULTS+512]) copyin(a[0:512]) num_workers(4) vector_length(128)
    for (int r = 0; r < ROWS; ++r) {
#pragma acc loop worker
        for (int w = 0; w < WORKERS; ++w) {
            double wide[WIDE];
#pragma acc loop vector
            for (int k = 0; k < WIDE; ++k)
                wide[k] = k * r;
#pragma acc loop vector
            for (int k = 0; k < 256; ++k) {
#pragma acc cache(a[k:WINDOW])
                int s = 0;
                for (int m = 0; m < WINDOW; ++m)
                    s += a[k + m];
                out[(r * WORKERS + w) * 256 + k] = wide[WIDE - 1 - k] + s;
            }
        }
    }
}

int main(void)
{
    int *a = new_ints(512, 1), *out = new_ints(RESULTS + 512, 2);
    beside_a_tile(a, out);
    SHOW("beside a tile", out, RESULTS);
#pragma acc data copy(out[0:RESULTS+512])
    beside_a_tile(out + RESULTS, out); /* they may overlap: the version without caches runs */
    SHOW("without a tile", out, RESULTS);
    return 0;
}
