#include "device_memory.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

#include "bounds.h"
#include "check.h"
#include "limits.h"
#include "unwritten.h"

namespace accache_cpu {

static constexpr size_t page = 64 * 1024;  // covers every page size in use
static constexpr size_t gap = 4096;        // at least this much between allocations
static constexpr size_t alignment = 256;   // of an allocation's start, as cudaMalloc has it
static constexpr size_t widest = 16;       // bytes of an access of a GPU's thread

// Addresses that look like no host address, and the same in every run where the system allows it.
static void *const wished_address = reinterpret_cast<void *>(0x200000000000);

DeviceMemory::DeviceMemory() {
    size_t wanted = size_t{1} << (check::enabled ? 36 : 42);
    void *memory = MAP_FAILED;
    // The checker reports an access beside every allocation and goes on; in a plain run it stops the program.
    const int protection = check::enabled ? PROT_READ | PROT_WRITE : PROT_NONE;
    for (; memory == MAP_FAILED && wanted >= size_t{1} << 28; wanted /= 2) {
        memory = mmap(wished_address, wanted, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        reserved_ = wanted;
    }
    if (memory == MAP_FAILED) {
        std::perror("accache-cpu: cannot reserve device memory");
        std::abort();
    }
    arena_ = static_cast<char *>(memory);
    top_ = size_t{1} << 20;  // a negative index into the first allocation stays in the arena
    capacity_ = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

static size_t rounded_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

static size_t system_page() {
    static const size_t bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

static size_t span_of(size_t bytes) { return rounded_up(bytes + std::max(gap, system_page()), page); }

// A plain run ends at an access behind an allocation, which therefore ends where its pages do: arrays of C programs do
// so exactly; what CUDA programs allocate begins where the widest access may. The checker knows of
// every byte; and recorded launches have addresses as a GPU gives them.
static bool ends_with_pages() {
    static const bool found = !check::enabled && !std::getenv("ACCACHE_CPU_CAPTURE");
    return found;
}

static size_t alignment_of(size_t bytes, Kind kind) {
    const size_t exact = bytes & -bytes;  // what elements are aligned to at most that fill it
    const size_t least = bounds::watched() ? bounds::granule : 1;  // of where what is in front of it ends
    return std::clamp(exact, kind == Kind::array ? least : widest, alignment);
}

char *DeviceMemory::base_of(const Allocation &allocation) const {
    return arena_ + (allocation.start - arena_) / static_cast<ptrdiff_t>(page) * static_cast<ptrdiff_t>(page);
}

// Addresses are not used twice while the arena lasts: a stale pointer then never looks valid.
char *DeviceMemory::place(size_t span) {
    if (top_ + span <= reserved_) {
        char *start = arena_ + top_;
        top_ += span;
        return start;
    }
    for (auto it = allocations_.begin(); it != allocations_.end(); ++it) {
        if (it->second.live || span_of(it->second.bytes) < span) continue;
        char *base = base_of(it->second);
        allocations_.erase(it);
        return base;
    }
    return nullptr;
}

char *DeviceMemory::allocate(size_t bytes, Kind kind) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (bytes > capacity_ - used_ || (kind == Kind::heap && bytes > heap_limit_ - std::min(heap_limit_, heap_used_))) return nullptr;
    char *base = place(span_of(bytes));
    const size_t open = ends_with_pages() ? rounded_up(bytes, system_page()) : span_of(bytes);
    if (!base || mprotect(base, open, PROT_READ | PROT_WRITE) != 0) return nullptr;
    char *start = ends_with_pages() ? base + open - rounded_up(bytes, alignment_of(bytes, kind)) : base;
    // What nobody wrote shows in results, also what lies beside the allocation in its pages.
    if (ends_with_pages()) std::memset(base, 0xff, open);
    else std::memset(start, 0xff, bytes);
    if (kind == Kind::array) mark_unwritten(start, bytes);
    if (bounds::watched()) {
        bounds::close(base, start - base);
        bounds::close(start + bytes, base + open - (start + bytes));
    }
    used_ += bytes;
    if (kind == Kind::heap) heap_used_ += bytes;
    allocations_[address(start)] = {start, bytes, true, kind};
    check::allocated(start, bytes);
    return start;
}

bool DeviceMemory::release(void *pointer, bool heap) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = allocations_.find(address(pointer));
    if (found == allocations_.end() || !found->second.live) return false;
    Allocation &allocation = found->second;
    if (heap != (allocation.kind == Kind::heap)) return false;
    allocation.live = false;
    used_ -= allocation.bytes;
    if (heap) heap_used_ -= allocation.bytes;
    check::freed(allocation.start, allocation.bytes);
    if (bounds::watched()) bounds::open(base_of(allocation), span_of(allocation.bytes));
    madvise(base_of(allocation), span_of(allocation.bytes), MADV_DONTNEED);
    if (!check::enabled) mprotect(base_of(allocation), span_of(allocation.bytes), PROT_NONE);
    return true;
}

const Allocation *DeviceMemory::at_or_below(const void *pointer) const {
    std::lock_guard<std::mutex> lock(mutex_);
    auto after = allocations_.upper_bound(address(pointer));
    return after == allocations_.begin() ? nullptr : &std::prev(after)->second;
}

const Allocation *DeviceMemory::above(const void *pointer) const {
    std::lock_guard<std::mutex> lock(mutex_);
    auto after = allocations_.upper_bound(address(pointer));
    return after == allocations_.end() ? nullptr : &after->second;
}

std::vector<Allocation> DeviceMemory::live() const {
    std::lock_guard<std::mutex> lock(mutex_);
    std::vector<Allocation> found;
    for (const auto &[start, allocation] : allocations_)
        if (allocation.live) found.push_back(allocation);
    return found;
}

bool DeviceMemory::holds(const void *pointer, size_t bytes) const {
    const Allocation *found = in_arena(pointer) ? at_or_below(pointer) : nullptr;
    return found && found->live && found->kind != Kind::heap &&
           address(pointer) - address(found->start) <= found->bytes &&
           bytes <= found->bytes - (address(pointer) - address(found->start));
}

bool DeviceMemory::is_managed(const void *pointer) const {
    const Allocation *found = in_arena(pointer) ? at_or_below(pointer) : nullptr;
    return found && found->live && found->kind == Kind::managed;
}

DeviceMemory &device_memory() {
    static DeviceMemory *memory = new DeviceMemory;  // never destroyed: programs free memory in their destructors
    return *memory;
}

}  // namespace accache_cpu
