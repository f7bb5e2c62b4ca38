// CUDA on a CPU: what a .cu file expects from <cuda_runtime.h>, for g++ and without CUDA.
#pragma once

#include "cuda_runtime_api.h"

#ifdef __cplusplus
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "accache_cpu/kernel.h"
#include "accache_cpu/atomics.h"
#include "accache_cpu/launch.h"
#include "accache_cpu/math.h"
#include "accache_cpu/warp.h"
#endif
