// Prefix sums over tiles and other lanes of a warp.
#pragma once

#include "reduce.h"

namespace cooperative_groups {

template <class Group, class T, class Operation>
inline ACCACHE_CPU_INLINED auto inclusive_scan(const Group &group, T value, Operation &&operation) -> std::decay_t<T> {
    std::decay_t<T> sum = value;
    for (unsigned delta = 1; delta < group.size(); delta *= 2) {
        const std::decay_t<T> other = group.shfl_up(sum, delta);
        if (group.thread_rank() >= delta) sum = operation(other, sum);
    }
    return sum;
}
template <class Group, class T> inline ACCACHE_CPU_INLINED auto inclusive_scan(const Group &group, T value) {
    return inclusive_scan(group, value, plus<std::decay_t<T>>());
}

// The first thread gets T().
template <class Group, class T, class Operation>
inline ACCACHE_CPU_INLINED auto exclusive_scan(const Group &group, T value, Operation &&operation) -> std::decay_t<T> {
    const std::decay_t<T> before = group.shfl_up(inclusive_scan(group, value, operation), 1);
    return group.thread_rank() ? before : std::decay_t<T>();
}
template <class Group, class T> inline ACCACHE_CPU_INLINED auto exclusive_scan(const Group &group, T value) {
    return exclusive_scan(group, value, plus<std::decay_t<T>>());
}

}  // namespace cooperative_groups
