// Device memory: an address range of its own, so that nothing works by accident because CPU and GPU share memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "limits.h"

namespace accache_cpu {

// Who may use and release it: managed memory is also legal on the host, the heap only in kernels. An array is one of a C
// program, whose elements are aligned to no more than their size, and which nothing else is made of.
enum class Kind { plain, array, managed, heap };

struct Allocation {
    char *start;
    size_t bytes;
    bool live;
    Kind kind;
};

class DeviceMemory {
  public:
    DeviceMemory();

    char *allocate(size_t bytes, Kind kind);  // null: no memory left
    bool release(void *pointer, bool heap);   // false: not a live allocation there
    // The allocation with the greatest start not above the pointer, live or freed; null if there is none.
    const Allocation *at_or_below(const void *pointer) const;
    // The allocation with the smallest start above the pointer; null if there is none.
    const Allocation *above(const void *pointer) const;
    std::vector<Allocation> live() const;  // by address
    bool in_arena(const void *pointer) const { return address(pointer) - address(arena_) < reserved_; }
    bool holds(const void *pointer, size_t bytes) const;
    bool is_managed(const void *pointer) const;

    char *arena() const { return arena_; }
    size_t reserved() const { return reserved_; }
    size_t capacity() const { return capacity_; }
    size_t used() const { return used_; }
    size_t heap_limit() const { return heap_limit_; }
    void limit_heap(size_t bytes) { heap_limit_ = bytes; }

  private:
    static uintptr_t address(const void *pointer) { return reinterpret_cast<uintptr_t>(pointer); }
    char *place(size_t span);
    char *base_of(const Allocation &allocation) const;  // where its pages begin

    char *arena_ = nullptr;
    size_t reserved_ = 0, top_ = 0, capacity_ = 0, used_ = 0, heap_used_ = 0, heap_limit_ = default_heap;
    std::map<uintptr_t, Allocation> allocations_;
    mutable std::mutex mutex_;
};

DeviceMemory &device_memory();

}  // namespace accache_cpu
