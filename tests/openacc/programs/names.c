/* Variables whose names accache would choose for its own. */
#include <stdio.h>
#include <stdlib.h>


int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100;
    struct local {
        int value;
    };
    struct local *list = malloc(n * sizeof *list);
    int *grid = malloc(n * sizeof *grid), *block = malloc(n * sizeof *block), *i_count = malloc(n * sizeof *i_count);
    int *grid_device = malloc(n * sizeof *grid_device);
    int blocks = 3, total_partials = 1, stream = 2, async_queue = 4, list_host = 5, total = 0, part = 6;
    int k[4] = {0}, k_partials = 2;
    for (int i = 0; i < n; ++i) {
        grid[i] = i, block[i] = 2 * i, i_count[i] = 0, grid_device[i] = i;
        list[i].value = 3 * i;
    }
#pragma acc parallel loop copyin(grid[0:n], list[0:n]) copy(block[0:n], i_count[0:n], grid_device[0:n]) \
    reduction(+:total, k) async(stream)
    for (int i = 0; i < n; ++i) {
        block[i] += grid[i] + blocks + stream + async_queue + list_host + list[i].value + part;
        i_count[i] = grid[i];
        total += grid[i] + total_partials;
        k[grid[i] % 4] += k_partials;
        grid_device[i]++;
    }
#pragma acc wait
    for (int i = 0; i < n; ++i)
        total = total % 1000003 * 31 + block[i] + i_count[i] + grid_device[i];
    printf("%d %d %d %d %d\n", total, k[0], k[1], k[2], k[3]);
    free(list), free(grid), free(block), free(i_count), free(grid_device);
    return 0;
}
