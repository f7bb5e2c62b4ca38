// The run-time library that every emitted .cu ends with. The build leaves it out there and links this instead.
#include <cuda_runtime.h>

#include "accache_launch.cuh"

// All of it is inline, and here nobody calls it.
#define inline __attribute__((used)) inline
#include "accache_runtime.cu"
