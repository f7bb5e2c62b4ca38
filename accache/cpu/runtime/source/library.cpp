// The run-time library that emitted .cu files end with. The build leaves it out there and links this instead.
#include <cuda_runtime.h>

#include "accache_runtime.cu"
