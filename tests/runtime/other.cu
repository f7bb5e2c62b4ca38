#include "accache_runtime.cuh"
#include "probe.h"

extern "C" void *other_file_maps(const void *host, size_t bytes) { return accache_map(ACCACHE_PRESENT, host, bytes, "a", 4); }
