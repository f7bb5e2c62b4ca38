// Cooperative groups: a block, its tiles of up to 32 threads, the lanes that are together, and the grid's coordinates.
#pragma once

#include "cuda_runtime.h"

#define _COOPERATIVE_GROUPS_H_
#define _CG_VERSION 11000

extern "C" void accache_cpu_grid_sync(void);

namespace cooperative_groups {

class thread_block;
inline thread_block this_thread_block();

class thread_block {
  public:
    // Barriers of one group are one, wherever they are called.
    static void sync() { accache_cpu_barrier(group_site, 0, 0); }
    static unsigned thread_rank() {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
    static unsigned num_threads() { return size(); }
    static dim3 group_index() { return blockIdx; }
    static dim3 thread_index() { return threadIdx; }
    static dim3 group_dim() { return blockDim; }
    static dim3 dim_threads() { return blockDim; }

  private:
    static constexpr int group_site = -1;
    thread_block() = default;
    friend thread_block this_thread_block();
};
inline thread_block this_thread_block() { return thread_block(); }

// Blocks that cannot run all together, as on a GPU they must, take turns.
class grid_group {
  public:
    static unsigned long long size() { return (unsigned long long)num_blocks() * thread_block::size(); }
    static unsigned long long num_threads() { return size(); }
    static unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    static unsigned long long block_rank() {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    static unsigned long long thread_rank() {
        return block_rank() * thread_block::size() + this_thread_block().thread_rank();
    }
    static dim3 dim_blocks() { return gridDim; }
    static dim3 group_dim() { return gridDim; }
    static dim3 block_index() { return blockIdx; }
    static bool is_valid() { return true; }
    static void sync() { accache_cpu_grid_sync(); }
};
inline grid_group this_grid() { return grid_group(); }

// Lanes of one warp, by their mask; each of them knows its rank.
class thread_group {
  public:
    explicit thread_group(unsigned mask) : mask_(mask) {}

    void sync() const { __syncwarp(mask_); }
    unsigned size() const { return (unsigned)__popc(mask_); }
    unsigned num_threads() const { return size(); }
    unsigned thread_rank() const { return (unsigned)__popc(mask_ & ((1u << accache_cpu_lane()) - 1)); }

    int any(int predicate) const { return __any_sync(mask_, predicate); }
    int all(int predicate) const { return __all_sync(mask_, predicate); }
    unsigned ballot(int predicate) const { return packed(__ballot_sync(mask_, predicate)); }
    template <class T> ACCACHE_CPU_INLINED unsigned match_any(T value) const { return packed(__match_any_sync(mask_, value)); }
    template <class T> ACCACHE_CPU_INLINED unsigned match_all(T value, int &all) const {
        return packed(__match_all_sync(mask_, value, &all));
    }
    template <class T> ACCACHE_CPU_INLINED T shfl(T value, int rank) const { return from(value, (unsigned)rank % size()); }
    template <class T> ACCACHE_CPU_INLINED T shfl_up(T value, unsigned delta) const {
        return from(value, thread_rank() >= delta ? thread_rank() - delta : thread_rank());
    }
    template <class T> ACCACHE_CPU_INLINED T shfl_down(T value, unsigned delta) const {
        return from(value, thread_rank() + delta < size() ? thread_rank() + delta : thread_rank());
    }
    template <class T> ACCACHE_CPU_INLINED T shfl_xor(T value, unsigned bits) const {
        const unsigned rank = thread_rank() ^ bits;
        return from(value, rank < size() ? rank : thread_rank());
    }
    unsigned mask() const { return mask_; }

  protected:
    // The lane of a rank.
    int lane_of(unsigned rank) const {
        unsigned rest = mask_;
        while (rank--) rest &= rest - 1;
        return __builtin_ctz(rest);
    }
    // Bits of lanes as bits of ranks.
    unsigned packed(unsigned lanes) const {
        unsigned ranks = 0, bit = 1;
        for (unsigned rest = mask_; rest; rest &= rest - 1, bit <<= 1)
            if (lanes & rest & -rest) ranks |= bit;
        return ranks;
    }
    // Values of any size travel in words.
    template <class T> ACCACHE_CPU_INLINED T from(T value, unsigned rank) const {
        constexpr size_t words = (sizeof(T) + 7) / 8;
        unsigned long long bits[words] = {};
        __builtin_memcpy(bits, &value, sizeof value);
        for (size_t i = 0; i < words; ++i) bits[i] = accache_cpu_shuffle(mask_, bits[i], lane_of(rank));
        __builtin_memcpy(&value, bits, sizeof value);
        return value;
    }

  private:
    unsigned mask_;
};

class coalesced_group : public thread_group {
  public:
    using thread_group::thread_group;
    unsigned meta_group_size() const { return 1; }
    unsigned meta_group_rank() const { return 0; }
};
inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <unsigned Size, class Parent = void> class thread_block_tile : public thread_group {
    static_assert(Size && Size <= 32 && !(Size & (Size - 1)), "tiles here have 1, 2, 4, 8, 16 or 32 threads");

  public:
    thread_block_tile() : thread_group(mask_of_tile()) {}
    template <class Other> thread_block_tile(const thread_block_tile<Size, Other> &) : thread_block_tile() {}
    static constexpr unsigned size() { return Size; }
    static constexpr unsigned num_threads() { return Size; }
    static unsigned thread_rank() { return accache_cpu_lane() % Size; }
    static unsigned meta_group_size() { return (thread_block::size() + Size - 1) / Size; }
    static unsigned meta_group_rank() { return thread_block::thread_rank() / Size; }

  private:
    static unsigned mask_of_tile() {
        return Size == 32 ? ~0u : ((1u << (Size & 31)) - 1) << (accache_cpu_lane() & ~(Size - 1));
    }
};

template <unsigned Size, class Parent> inline thread_block_tile<Size, Parent> tiled_partition(const Parent &) {
    return thread_block_tile<Size, Parent>();
}
inline thread_group tiled_partition(const thread_block &, unsigned size) {
    const unsigned all = size >= 32 ? ~0u : (1u << size) - 1;
    return thread_group(all << (accache_cpu_lane() & ~(size - 1)));
}
// The lanes of a group that bring the same value.
template <class Group, class Label> inline coalesced_group labeled_partition(const Group &group, Label label) {
    return coalesced_group(__match_any_sync(group.mask(), label));
}
template <class Group> inline coalesced_group binary_partition(const Group &group, bool predicate) {
    return labeled_partition(group, predicate);
}

template <class Group> inline void sync(const Group &group) { group.sync(); }
template <class Group> inline auto thread_rank(const Group &group) { return group.thread_rank(); }
template <class Group> inline auto group_size(const Group &group) { return group.size(); }

}  // namespace cooperative_groups
