// `accache run --compare`: the sequential program writes down what its arrays hold wherever the translated one gets
// them from the device, and the translated one compares.
#pragma once

#include <cstddef>

namespace accache_cpu::compare {

// Whether this process is the sequential program: its constructs run on the host, and it launches no kernels.
bool is_sequential();

}  // namespace accache_cpu::compare
