// Reductions over tiles and other lanes of a warp: every thread of the group gets the result.
#pragma once

#include <type_traits>

#include "../cooperative_groups.h"

namespace cooperative_groups {

template <class T> struct plus {
    T operator()(T a, T b) const { return a + b; }
};
template <class T> struct less {
    T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T> struct greater {
    T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T> struct bit_and {
    T operator()(T a, T b) const { return a & b; }
};
template <class T> struct bit_or {
    T operator()(T a, T b) const { return a | b; }
};
template <class T> struct bit_xor {
    T operator()(T a, T b) const { return a ^ b; }
};

// As a tree: thread i takes the values of i + half the group, and so on.
template <class Group, class T, class Operation>
inline ACCACHE_CPU_INLINED auto reduce(const Group &group, T value, Operation &&operation) -> std::decay_t<T> {
    const unsigned size = group.size(), rank = group.thread_rank();
    std::decay_t<T> sum = value;
    unsigned half = 1;
    while (half < size) half *= 2;
    while (half /= 2) {
        const std::decay_t<T> other = group.shfl_down(sum, half);
        if (rank < half && rank + half < size) sum = operation(sum, other);
    }
    return group.shfl(sum, 0);
}

}  // namespace cooperative_groups
