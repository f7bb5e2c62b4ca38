// What nobody has written on the device, in programs that run without the checker.
#pragma once

#include <cstddef>

namespace accache_cpu {

// Fills fresh memory with values that show in results: quiet NaNs of float and double, integers near the largest ones. Any
// sum, product or copy of such a NaN is the same NaN. The checker, and recorded launches, have 0xff everywhere: they know of
// each byte.
void fill_unwritten(char *memory, size_t bytes);

// Tells once for each directive of what came to the host and is such a value.
void tell_of_unwritten(const void *host, size_t bytes, size_t element, const char *name, const char *file, int line);

}  // namespace accache_cpu
