// The runtime's idea of the last error, and of the one that breaks everything after it.
#pragma once

#include "accache_cpu/host_types.h"

namespace accache_cpu {

// Remembers an error for cudaGetLastError and returns it.
cudaError_t remember(cudaError_t error);
// A kernel failed: as on a GPU, every later call reports it.
void break_context(cudaError_t error);
cudaError_t context_error();

}  // namespace accache_cpu
