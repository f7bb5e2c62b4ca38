// CUDA on a CPU: what a .cu file expects from <cuda_runtime.h>, for g++ and without CUDA.
#pragma once

#define __CUDA_RUNTIME_H__

#include "cuda_runtime_api.h"

#ifdef __cplusplus
#include <cassert>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>
#include <new>
#include <utility>

#ifdef ACCACHE_CPU_BOUNDS
// Before any other code here, each of whose accesses is looked up.
namespace accache_cpu {
void watch_bounds();
}
static void __attribute__((constructor(101))) accache_cpu_watch_bounds() { accache_cpu::watch_bounds(); }
#endif

#include "accache_cpu/kernel.h"
#include "accache_cpu/atomics.h"
#include "accache_cpu/block.h"
#include "accache_cpu/conversions.h"
#include "accache_cpu/host_kernels.h"
#include "accache_cpu/host_symbols.h"
#include "accache_cpu/integer.h"
#include "accache_cpu/launch.h"
#include "accache_cpu/locals.h"
#include "accache_cpu/math.h"
#include "accache_cpu/simd.h"
#include "accache_cpu/warp.h"
#include "accache_cpu/assembly.h"
#endif
