// What a plain program may not touch beside its arrays: for kernels that look each access up, as those of programs do
// that have parts of arrays on the device.
#pragma once

#include <cstddef>

namespace accache_cpu::bounds {

bool watched();  // some kernels of this program do so

// Bytes that are no part of an array, from a multiple of the granule on or up to one; and the same as part of one again.
constexpr size_t granule = 8;
void close(const char *start, size_t bytes);
void open(const char *start, size_t bytes);

}  // namespace accache_cpu::bounds
