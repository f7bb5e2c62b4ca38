// The threads of a block, which a kernel that is called once for all of them runs in loops from barrier to barrier.
#pragma once

#include "vector_types.h"

extern "C" {
extern __thread unsigned accache_cpu_turn __attribute__((tls_model("initial-exec")));  // whose turn it is, for messages
struct accache_cpu_block {
    const uint3 *positions;       // threadIdx of every linear index
    const unsigned short *order;  // in which threads run
    uint3 shape;
    unsigned threads;
    bool shuffled;  // anew after each barrier
};
accache_cpu_block *accache_cpu_this_block(void);
void accache_cpu_shuffle_block(void);
void *accache_cpu_block_memory(size_t bytes, unsigned threads);  // for the threads' variables; not cleared
void accache_cpu_disagree(unsigned one, unsigned other);         // two threads did not come to the same barrier
}

namespace accache_cpu {

class Block : public accache_cpu_block {
  public:
    // Runs a part of the kernel for all threads; each of them has its own copy of what `run` holds by value.
    template <class Run> __attribute__((always_inline)) inline void each(const Run &run) {
        each_below(shape.x, run);
    }

    // The same for a part that does nothing where threadIdx.x is not below a limit.
    template <class Run> __attribute__((always_inline)) inline void each_below(long long limit, const Run &run) {
        const bool out_of_order = shuffled;
        if (out_of_order) accache_cpu_shuffle_block();
        const unsigned width = shape.x, height = shape.y;
        const unsigned last = limit <= 0 ? 0 : limit >= width || out_of_order ? width : static_cast<unsigned>(limit);
        const unsigned rows = last ? threads / width : 0;
        uint3 next = {0, 0, 0};
        for (unsigned row = 0; row < rows; ++row) {
            for (next.x = 0; next.x < last; ++next.x) {
                unsigned thread = row * width + next.x;
                accache_cpu_turn = thread;
                uint3 position = next;
                if (__builtin_expect(out_of_order, 0)) {
                    thread = order[thread];
                    position = positions[thread];
                }
                Run own = run;
                own(position, thread);
            }
            if (++next.y == height) next.y = 0, ++next.z;
        }
    }

    // What all threads answer; if they do not agree, what the first one does.
    template <class Condition> __attribute__((always_inline)) inline bool agree(const Condition &condition) {
        const bool answer = condition(positions[0], 0);
        for (unsigned thread = 1; thread < threads; ++thread) {
            if (condition(positions[thread], thread) == answer) continue;
            accache_cpu_disagree(0, thread);
            break;
        }
        return answer;
    }

    // What each of so many threads keeps from part to part.
    template <class Frame> Frame &memory(unsigned threads_at_most) {
        return *static_cast<Frame *>(accache_cpu_block_memory(sizeof(Frame), threads_at_most));
    }
};

// What accache_reduce.cuh does by shuffles and in shared memory, in the same order: the values of `lanes` threads that are
// `stride` apart are combined, and each of them gets the result.
template <class Combine, class Value> inline void reduce_group(Value *values, int lanes, int stride, bool in_warps) {
    const Combine combine{};
    if (in_warps) {  // columns of every 32nd value, then a tree
        for (int lane = 32; lane < lanes; ++lane) values[lane % 32] = combine(values[lane % 32], values[lane]);
        const int width = lanes < 32 ? lanes : 32;
        for (int half = 16; half > 0; half /= 2)
            for (int lane = 0; lane < half && lane + half < width; ++lane)
                values[lane] = combine(values[lane], values[lane + half]);
    } else if (lanes <= 32) {
        for (int lane = 1; lane < lanes; ++lane) values[0] = combine(values[0], values[lane * stride]);
    } else {
        for (int count = lanes; count > 1; count = (count + 1) / 2) {
            const int half = (count + 1) / 2;
            for (int lane = 0; lane + half < count; ++lane)
                values[lane * stride] = combine(values[lane * stride], values[(lane + half) * stride]);
        }
    }
    for (int lane = 1; lane < lanes; ++lane) values[lane * stride] = values[0];
}
template <class Combine, int x, int y = 1, int z = 1> inline void reduce(typename Combine::Value *values) {
    reduce_group<Combine>(values, x * y * z, 1, true);
}
template <class Combine, int x, int y, int z = 1> inline void reduce_x(typename Combine::Value *values) {
    for (int row = 0; row < y * z; ++row)
        reduce_group<Combine>(values + row * x, x, 1, x % 32 == 0 || 32 % x == 0);
}
template <class Combine, int x, int y, int z = 1> inline void reduce_y(typename Combine::Value *values) {
    for (int plane = 0; plane < z; ++plane)
        for (int column = 0; column < x; ++column)
            reduce_group<Combine>(values + plane * x * y + column, y, x, false);
}
template <class Combine, int x, int y, int z> inline void reduce_z(typename Combine::Value *values) {
    for (int column = 0; column < x * y; ++column) reduce_group<Combine>(values + column, z, x * y, false);
}

inline Block &this_block() { return *static_cast<Block *>(accache_cpu_this_block()); }

}  // namespace accache_cpu
