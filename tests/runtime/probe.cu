#include "probe.h"
#include "accache_launch.cuh"

extern "C" int probe_get(const int *device) { return accache_load(device); }
extern "C" void probe_set(int *device, int value) { accache_store(device, value); }
extern "C" void probe_extent(const void *device, size_t element_bytes, long long *first, long long *end, int *known)
{
    const accache_extent extent = accache_extent_of(device, element_bytes);
    *first = extent.first;
    *end = extent.end;
    *known = extent.known;
}
extern "C" int probe_overlap(const void *a, const void *b) { return !accache_disjoint(a, {b}); }
extern "C" int probe_disjoint(const void *a, const void *b, const void *c)
{
    return accache_disjoint({{a, {b, c}}, {b, {c}}});
}
extern "C" int *probe_partials(size_t count, int slot) { return accache_partials<int>(count, slot); }
extern "C" void probe_launched(const char *kernel, size_t shared_bytes, const char *file, int line)
{
    accache_launched(kernel, dim3(4, 2), dim3(32), shared_bytes, file, line);
}
extern "C" void probe_allow_shared(size_t bytes) { accache_allow_shared(nullptr, bytes); }

// As in joined output: the implementation stands behind the code that uses it, and the user's macros are in force.
#define N 8
#define M 3
#define T float
#define I 1
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define abs(a) ((a) < 0 ? -(a) : (a))
#include "accache_runtime.cuh"
