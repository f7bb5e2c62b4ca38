/* accache run-time: what translated host code (C) and launch stubs (C++) call. Implementation: accache_runtime.cuh. */
#ifndef ACCACHE_RUNTIME_H
#define ACCACHE_RUNTIME_H
#include <stddef.h>

/* Data clauses. In the calls below host is the first byte of a clause's section and name its variable, for messages.
   bytes = ACCACHE_WHOLE is "all of the present data around host", for a clause that names a pointer without length. */
enum accache_action {
    ACCACHE_CREATE, ACCACHE_COPYIN, ACCACHE_COPYOUT, ACCACHE_COPY, ACCACHE_PRESENT, ACCACHE_NO_CREATE, ACCACHE_DELETE
};
#define ACCACHE_WHOLE ((size_t)-1)

#ifdef __cplusplus
extern "C" {
#endif
/* Structured data: begin, a map for each clause, end. Regions nest. accache_map: device address of host, or NULL. */
void accache_data_begin(const char *file, int line);
void *accache_map(int action, const void *host, size_t bytes, const char *name, size_t element_bytes);
void accache_data_end(void);
/* Unstructured data. */
void accache_enter_data(int action, const void *host, size_t bytes, const char *name, size_t element_bytes,
                        const char *file, int line);
void accache_exit_data(int action, int finalize, const void *host, size_t bytes, const char *name, const char *file,
                       int line);
void accache_update_device(const void *host, size_t bytes, int if_present, const char *name, const char *file,
                           int line);
void accache_update_host(void *host, size_t bytes, int if_present, const char *name, const char *file, int line);
void *accache_device_pointer(const void *host, const char *name); /* of present data; anything else is an error */
void accache_wait(const char *file, int line);                    /* until every launched kernel has finished */
#ifdef __cplusplus
}

#include <cuda_runtime.h>

#include <climits>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

struct accache_extent { long long first, end; bool known; }; /* the mapped elements around a pointer, relative to it */
accache_extent accache_extent_of(const void *device, size_t element_bytes);
bool accache_overlap(const void *device_a, const void *device_b);   /* may the two lie in one array? */
void accache_allow_shared(const void *kernel, size_t shared_bytes); /* before a launch with more than 48 KB */
void accache_launched(const char *kernel, dim3 grid, dim3 block, size_t shared_bytes, const char *file, int line);
void *accache_scratch(size_t bytes, int slot); /* device memory, valid until somebody asks for the same slot again */
void accache_read(void *host, const void *device, size_t bytes);
void accache_write(void *device, const void *host, size_t bytes);

template <class Element> Element *accache_partials(size_t count, int slot = 0) /* for a reduction; a slot for each */
{
    return static_cast<Element *>(accache_scratch(count * sizeof(Element), slot));
}
template <class Element, class Combine> /* fold a reduction's partial results, one a block, into its variable */
void accache_combine(Element *total, const Element *partials, size_t blocks, Combine combine)
{
    std::vector<Element> parts(blocks);
    if (blocks > 0)
        accache_read(parts.data(), partials, blocks * sizeof(Element));
    for (Element part : parts)
        *total = combine(*total, part);
}
template <class Element> Element accache_load(const Element *device)
{
    Element value;
    accache_read(&value, device, sizeof value);
    return value;
}
template <class Element> void accache_store(Element *device, Element value)
{
    accache_write(device, &value, sizeof value);
}
#endif
#endif
