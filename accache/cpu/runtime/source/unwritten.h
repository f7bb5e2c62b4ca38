// What nobody has written on the device, in programs that run without the checker.
#pragma once

#include <cstddef>

namespace accache_cpu {

// Gives the fresh memory of a C program's array values that show in results: quiet NaNs of float and double, integers near
// the largest ones. Any sum, product or copy of such a NaN is the same NaN. The checker knows of each byte without that, and
// what is recorded of a launch says that fresh memory is 0xff: there it is.
void mark_unwritten(char *memory, size_t bytes);

// Tells once for each directive of what came to the host and is such a value.
void tell_of_unwritten(const void *host, size_t bytes, size_t element, const char *name, const char *file, int line);

}  // namespace accache_cpu
