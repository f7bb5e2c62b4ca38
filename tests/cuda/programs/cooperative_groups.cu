// Cooperative groups: the block, tiles of several sizes, lanes that are together by chance, reductions, scans, the grid.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <vector>

#include "check.h"

namespace cg = cooperative_groups;

template <class Tile> __device__ int tile_sum(const Tile &tile, int value) {
    for (unsigned offset = tile.size() / 2; offset; offset /= 2) value += tile.shfl_down(value, offset);
    return tile.shfl(value, 0);
}

__global__ void tiles(const int *in, int *out, unsigned *votes, int n) {
    const cg::thread_block block = cg::this_thread_block();
    const int i = cg::this_grid().thread_rank();
    __shared__ int sums[32];
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    auto quarter = cg::tiled_partition<8>(warp);
    const int mine = i < n ? in[i] : 0;
    if (warp.thread_rank() == 0) sums[warp.meta_group_rank()] = 0;
    const int total = cg::reduce(warp, mine, cg::plus<int>());
    if (warp.thread_rank() == 0) sums[warp.meta_group_rank()] = total;
    block.sync();
    int all = 0;
    for (unsigned w = 0; w < warp.meta_group_size(); ++w) all += sums[w];
    const int largest = cg::reduce(quarter, mine, cg::greater<int>());
    if (i < n) out[i] = all + 1000 * largest + 1000000 * (tile_sum(cg::tiled_partition<4>(block), mine) % 100);
    if (i < n) votes[i] = quarter.ballot(mine & 1) + (quarter.any(mine > 90) << 8) + (quarter.all(mine > 2) << 9) +
                          (cg::inclusive_scan(quarter, mine) << 10) + quarter.shfl_xor(mine, 3) * 7 +
                          cg::exclusive_scan(quarter, 1, cg::plus<int>()) * 5;
    cg::sync(block);
}

// One addition for all lanes that take the branch.
__global__ void filter(const int *in, int *out, int *count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || in[i] % 3 == 0) return;
    if (in[i] % 3 == 1) {
        cg::coalesced_group active = cg::coalesced_threads();
        int place = 0;
        if (active.thread_rank() == 0) place = atomicAdd(count, (int)active.size());
        out[active.shfl(place, 0) + active.thread_rank()] = in[i];
    }
}

__global__ void rounds(int *data, int n) {
    cg::grid_group grid = cg::this_grid();
    const unsigned i = grid.thread_rank();
    for (int round = 0; round < 3; ++round) {
        const int left = data[(i + n - 1) % n];
        grid.sync();
        data[i] += left;
        grid.sync();
    }
}

int main() {
    const int n = 240;
    std::vector<int> in(n), out(n);
    std::vector<unsigned> votes(n);
    for (int i = 0; i < n; ++i) in[i] = i * 37 % 101;
    int *device_in, *device_out, *count;
    unsigned *device_votes;
    CHECK(cudaMalloc(&device_in, n * 4));
    CHECK(cudaMalloc(&device_out, n * 4));
    CHECK(cudaMalloc(&device_votes, n * 4));
    CHECK(cudaMalloc(&count, 4));
    CHECK(cudaMemset(count, 0, 4));
    CHECK(cudaMemcpy(device_in, in.data(), n * 4, cudaMemcpyHostToDevice));
    tiles<<<2, 128>>>(device_in, device_out, device_votes, n);
    CHECK(cudaMemcpy(out.data(), device_out, n * 4, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(votes.data(), device_votes, n * 4, cudaMemcpyDeviceToHost));
    auto at = [&](int i) { return i < n ? in[i] : 0; };
    bool right = true;
    for (int i = 0; i < n; ++i) {
        int all = 0, four = 0, largest = 0, scan = 0;
        unsigned ballot = 0, any = 0, whole = 1;
        for (int k = i / 128 * 128; k < i / 128 * 128 + 128; ++k) all += at(k);
        for (int k = i / 4 * 4; k < i / 4 * 4 + 4; ++k) four += at(k);
        for (int k = i / 8 * 8; k < i / 8 * 8 + 8; ++k) {
            largest = at(k) > largest ? at(k) : largest;
            ballot |= (at(k) & 1u) << k % 8, any |= at(k) > 90, whole &= at(k) > 2;
            if (k <= i) scan += at(k);
        }
        right = right && out[i] == all + 1000 * largest + 1000000 * (four % 100);
        right = right && votes[i] == ballot + (any << 8) + (whole << 9) + (scan << 10) + at(i ^ 3) * 7 + i % 8 * 5;
    }
    filter<<<2, 128>>>(device_in, device_out, count, n);
    int found = 0, expected = 0, wanted = 0, sum = 0;
    CHECK(cudaMemcpy(&found, count, 4, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(out.data(), device_out, n * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i)
        if (in[i] % 3 == 1) ++expected, wanted += in[i];
    for (int i = 0; i < found && i < n; ++i) sum += out[i];
    right = right && found == expected && sum == wanted;
    int whole = n;
    void *arguments[] = {&device_in, &whole};
    CHECK(cudaLaunchCooperativeKernel((void *)rounds, dim3(5), dim3(48), arguments));
    CHECK(cudaMemcpy(out.data(), device_in, n * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i)
        right = right && out[i] == in[i] + 3 * in[(i + n - 1) % n] + 3 * in[(i + n - 2) % n] + in[(i + n - 3) % n];
    return verdict(right);
}
