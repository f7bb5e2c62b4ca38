// One step of a breadth-first search: threads of the frontier look at their neighbours, wherever those are.
// usage: frontier [vertices]
#include <cstdio>
#include <cstdlib>

__global__ void step(const int *first, const int *neighbour, const int *level, int *next, int vertices, int depth)
{
    int vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (vertex >= vertices || level[vertex] != depth)
        return;
    for (int edge = first[vertex]; edge < first[vertex + 1]; ++edge)
        if (level[neighbour[edge]] < 0)
            next[neighbour[edge]] = depth + 1;
}

int main(int argc, char **argv)
{
    int vertices = argc > 1 ? atoi(argv[1]) : 4096, edges = 0;
    unsigned state = 1;
    int *starts = (int *)malloc((vertices + 1) * sizeof(int)), *ends = (int *)malloc(8 * vertices * sizeof(int));
    int *levels = (int *)malloc(vertices * sizeof(int));
    for (int vertex = 0; vertex < vertices; ++vertex) {
        starts[vertex] = edges;
        state = state * 1664525u + 1013904223u;
        levels[vertex] = state >> 30 ? -1 : 0;
        for (unsigned count = state >> 8 & 7; count > 0; --count) {
            state = state * 1664525u + 1013904223u;
            ends[edges++] = (state >> 8) % vertices;
        }
    }
    starts[vertices] = edges;
    int *first, *neighbour, *level, *next;
    cudaMalloc(&first, (vertices + 1) * sizeof(int));
    cudaMalloc(&neighbour, 8 * vertices * sizeof(int));
    cudaMalloc(&level, vertices * sizeof(int));
    cudaMalloc(&next, vertices * sizeof(int));
    cudaMemcpy(first, starts, (vertices + 1) * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(neighbour, ends, edges * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(level, levels, vertices * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(next, levels, vertices * sizeof(int), cudaMemcpyHostToDevice);
    step<<<(vertices + 255) / 256, 256>>>(first, neighbour, level, next, vertices, 0);
    cudaMemcpy(levels, next, vertices * sizeof(int), cudaMemcpyDeviceToHost);
    int reached = 0;
    for (int vertex = 0; vertex < vertices; ++vertex)
        reached += levels[vertex] == 1;
    printf("%d of %d vertices reached\n", reached, vertices);
    return 0;
}
