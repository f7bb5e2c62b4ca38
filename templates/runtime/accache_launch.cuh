// accache run-time: what launch stubs call besides accache_runtime.h. Implementation: accache_runtime.cuh.
#ifndef ACCACHE_LAUNCH_CUH
#define ACCACHE_LAUNCH_CUH
#include <cuda_runtime.h>

#include <climits>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <map>
#include <set>
#include <vector>
#include <type_traits>
#include <utility>
#include <strings.h>

struct accache_extent { long long first, end; bool known; }; /* the mapped elements around a pointer, relative to it */
/* Of host pointers, or of device pointers that are the program's own: */
accache_extent accache_extent_of(const void *pointer, size_t element_bytes);
/* End the program unless the elements from first to last of an array are there; "before" of them precede the pointer.
   The first is for arrays that have tiles: a checker cannot find what fetches leave out. */
void accache_fetches(accache_extent there, long long before, long long first, long long last, const char *name);
void accache_reaches(accache_extent there, long long before, long long first, long long last, const char *name);
/* The same of the first bytes of a structure, which the members take that the kernel uses. */
void accache_reaches_members(const void *structure, size_t bytes, const char *name);
bool accache_holds(const void *pointer, size_t element_bytes, long long first, long long end); /* are they mapped? */
inline unsigned accache_at_most(long long most, long long blocks, long long others = 1) /* along the grid's last axis */
{
    const long long left = others > 0 && others < most ? most / others : 1;
    return static_cast<unsigned>(blocks < left ? blocks : left);
}
/* The same, but a quarter of them until each thread has four iterations along that axis. */
inline unsigned accache_quarter_first(long long most, long long blocks, long long others)
{
    const long long left = others > 0 && others < most ? most / others : 1;
    const long long quarter = left / 4, each = (blocks + 3) / 4;
    const long long wanted = each > quarter ? each : quarter > 0 ? quarter : 1;
    return accache_at_most(most, blocks < wanted ? blocks : wanted, others);
}
inline dim3 accache_slice(dim3 grid, unsigned dim3::*axis, unsigned start) /* the next blocks that y or z can hold */
{
    const unsigned left = grid.*axis - start;
    grid.*axis = left < 65535 ? left : 65535;
    return grid;
}
/* End the program if an int that strides may pass the end of its type before it meets a loop's limit. */
void accache_strides(long long limit, long long stride, const char *name);
using accache_pointers = std::initializer_list<const void *>;
struct accache_apart { const void *pointer; accache_pointers others; };
bool accache_disjoint(const void *pointer, accache_pointers others); /* lies it in an array with none of the others? */
bool accache_disjoint(std::initializer_list<accache_apart> rows);    /* is that so of each? */
inline bool accache_aligned(accache_pointers pointers) /* to the widest accesses of memory */
{
    for (const void *const pointer : pointers)
        if (reinterpret_cast<uintptr_t>(pointer) % 16 != 0)
            return false;
    return true;
}
void accache_allow_shared(const void *kernel, size_t shared_bytes); /* where this and static arrays may pass 48 KB */
void accache_launched(const char *kernel, dim3 grid, dim3 block, size_t shared_bytes, const char *file, int line);
void accache_launched_too(const char *kernel, bool is_last = false); /* the library's own; the last of a construct */
cudaStream_t accache_stream(); /* of the construct's queue */
void *accache_present_copy(const void *host, size_t bytes); /* its device address, or null */
void *accache_scratch(size_t bytes, int slot); /* device memory, valid until somebody asks for the same slot again */
void *accache_staging(size_t bytes);           /* host memory, valid until somebody asks again */
void accache_read(void *host, const void *device, size_t bytes);  /* both in the construct's queue; between its end */
void accache_write(void *device, const void *host, size_t bytes); /* and the transfer, staging memory stays valid */
void accache_then(void (*action)(void *), void *argument);        /* when the queue has come so far */
void accache_finish();                                            /* wait until it has */
inline __device__ int accache_on_device(int type) /* in a kernel: every type of device but host, none and radeon */
{
    return type != 0 && type != 2 && type != 8;
}
extern "C" void __assert_fail(const char *, const char *, unsigned, const char *) noexcept __attribute__((noreturn));
inline __device__ void accache_fail(const char *what, const char *file, unsigned line, const char *function)
{
    __assert_fail(what, file, line, function); /* CUDA's, with or without <assert.h>: it tells of the thread, too */
}
template <class Element> inline __device__ Element *accache_aligned(Element *array) /* what a launch has made sure of */
{
#ifndef __CUDA_ARCH__ /* a CPU lets misaligned accesses pass */
    if (reinterpret_cast<uintptr_t>(array) % 16 != 0)
        accache_fail("an array begins at a multiple of 16 bytes", __FILE__, __LINE__, __func__);
#endif
    return static_cast<Element *>(__builtin_assume_aligned(array, 16));
}
template <int factor, class Number> inline __device__ Number accache_multiple(Number number) /* and this */
{
#ifndef __CUDA_ARCH__
    if (number % factor != 0)
        accache_fail("a number is a multiple of another one", __FILE__, __LINE__, __func__);
#endif
    return number / factor * factor;
}

template <class Element> Element *accache_partials(size_t count, int slot = 0) /* for a reduction; a slot for each */
{
    return static_cast<Element *>(accache_scratch(count * sizeof(Element), slot));
}
inline void *accache_firstprivate(const void *host, size_t bytes, int slot) /* what the gangs' copies start from */
{
    void *const device = accache_scratch(bytes, slot);
    accache_write(device, host, bytes);
    return device;
}
#ifdef ACCACHE_CPU // `accache run --compare`: the sequential program has the totals already
template <class T> void accache_observe(const T *totals, size_t count)
{
    const char kind = std::is_floating_point_v<T> ? 'f' : std::is_integral_v<T> ? 'i' : 'b';
    accache_cpu_result(totals, count, sizeof(T), kind);
}
inline bool accache_is_sequential() { return accache_cpu_is_sequential() != 0; }
#else
template <class T> void accache_observe(const T *, size_t) {}
inline bool accache_is_sequential() { return false; }
#endif
template <class Combine> struct accache_fold { /* a reduction's last step, on the host */
    using Element = typename Combine::Value;
    Element *totals;
    const Element *parts;
    size_t count;

    static void run(void *self)
    {
        const accache_fold *const fold = static_cast<accache_fold *>(self);
        for (size_t k = 0; k < fold->count && !accache_is_sequential(); ++k)
            fold->totals[k] = Combine()(fold->totals[k], fold->parts[k]);
        accache_observe(fold->totals, fold->count);
        delete fold;
    }
};
template <class Combine> /* combine what all blocks together found with a variable's elements, if there are blocks */
void accache_combine(typename Combine::Value *totals, const typename Combine::Value *parts, size_t blocks,
                     size_t count = 1)
{
    if (blocks == 0)
        return;
    using Element = typename Combine::Value;
    Element *const own = static_cast<Element *>(accache_staging(count * sizeof(Element)));
    accache_read(own, parts, count * sizeof(Element));
    accache_then(accache_fold<Combine>::run, new accache_fold<Combine>{totals, own, count});
}
template <class Element> Element accache_load(const Element *device) /* after all that the queue holds */
{
    Element value;
    accache_read(&value, device, sizeof value);
    accache_finish();
    return value;
}
template <class Element> Element accache_current(const Element *host) /* of a variable that may have a copy there */
{
    const void *const device = accache_present_copy(host, sizeof *host);
    return device != nullptr ? accache_load(static_cast<const Element *>(device)) : *host;
}
template <class Element> void accache_store(Element *device, Element value)
{
    accache_write(device, &value, sizeof value);
}
#endif
