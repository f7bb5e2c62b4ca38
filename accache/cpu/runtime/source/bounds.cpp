#include "bounds.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

#include "crash.h"

namespace accache_cpu {
namespace bounds {

// A byte for each granule of the address space, at the place that the compiler is told (accache/cpu/build.py): 0 where all
// of it may be touched, else how many of its first bytes may be, or less than 0.
static int8_t *const shadow = reinterpret_cast<int8_t *>(0x7fff8000);
static constexpr size_t shadow_bytes = (size_t{1} << 47) / granule;
static bool is_there = false;

bool watched() { return is_there; }

static int8_t *shadow_of(uintptr_t address) { return shadow + address / granule; }

void close(const char *start, size_t bytes) {
    if (!bytes) return;
    const uintptr_t from = reinterpret_cast<uintptr_t>(start), whole = (from + granule - 1) / granule * granule;
    if (from % granule) *shadow_of(from) = static_cast<int8_t>(from % granule);
    if (from + bytes > whole) std::memset(shadow_of(whole), -1, (from + bytes - whole) / granule);
}

void open(const char *start, size_t bytes) {
    if (!bytes) return;
    const uintptr_t from = reinterpret_cast<uintptr_t>(start);
    std::memset(shadow_of(from), 0, (from + bytes - 1) / granule - from / granule + 1);
}

}  // namespace bounds

// Called before all constructors of a program by kernels that look accesses up.
void watch_bounds() {
    if (bounds::is_there) return;
    const int protection = PROT_READ | PROT_WRITE;
    const int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    if (mmap(bounds::shadow, bounds::shadow_bytes, protection, kind, -1, 0) != bounds::shadow) {
        std::fputs("accache-cpu: cannot reserve the addresses to watch the bounds of arrays; --check does without\n", stderr);
        std::_Exit(1);
    }
    madvise(bounds::shadow, bounds::shadow_bytes, MADV_NOHUGEPAGE);
    bounds::is_there = true;
}

}  // namespace accache_cpu

// What the compiler calls for an access that its shadow forbids.
#define ACCACHE_CPU_REPORTS(access)                                                                             \
    void __asan_report_##access##1_noabort(const void *address) { accache_cpu::illegal_access(address); }       \
    void __asan_report_##access##2_noabort(const void *address) { accache_cpu::illegal_access(address); }       \
    void __asan_report_##access##4_noabort(const void *address) { accache_cpu::illegal_access(address); }       \
    void __asan_report_##access##8_noabort(const void *address) { accache_cpu::illegal_access(address); }       \
    void __asan_report_##access##16_noabort(const void *address) { accache_cpu::illegal_access(address); }      \
    void __asan_report_##access##_n_noabort(const void *address, size_t) { accache_cpu::illegal_access(address); }

extern "C" {
ACCACHE_CPU_REPORTS(load)
ACCACHE_CPU_REPORTS(store)
void __asan_handle_no_return() {}
}
