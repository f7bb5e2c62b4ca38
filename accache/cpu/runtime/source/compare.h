// `accache run --compare`: the sequential program writes down what its arrays hold wherever the translated one gets
// them from the device, and the translated one compares.
#pragma once

#include <cstddef>
#include <vector>

namespace accache_cpu::compare {

// Whether this process is the sequential program: its constructs run on the host, and it launches no kernels.
bool is_sequential();

// Which bytes of an element hold values, and not padding, of memory that a directive calls `name`; empty if unknown.
std::vector<bool> bytes_of_values(const char *name, size_t element);

}  // namespace accache_cpu::compare
