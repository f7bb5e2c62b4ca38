/* What the test programs, in C, use to look at device memory from outside. */
#include "accache_runtime.h"
#ifdef __cplusplus
extern "C" {
#endif
int probe_get(const int *device);
void probe_set(int *device, int value);
void probe_extent(const void *device, size_t element_bytes, long long *first, long long *end, int *known);
int probe_overlap(const void *a, const void *b);
int probe_disjoint(const void *a, const void *b, const void *c);
int *probe_partials(size_t count, int slot);
void probe_launched(const char *kernel, size_t shared_bytes, const char *file, int line);
void probe_allow_shared(size_t bytes);
void *other_file_maps(const void *host, size_t bytes);
#ifdef __cplusplus
}
#endif
