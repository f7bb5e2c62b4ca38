// The device we pretend to be: the limits of compute capability 9.0.
#pragma once

#include <cstddef>

namespace accache_cpu {

constexpr unsigned largest_block = 1024;
constexpr unsigned largest_block_z = 64;
constexpr unsigned largest_grid_x = 0x7fffffff;
constexpr unsigned largest_grid_yz = 65535;
constexpr size_t default_dynamic_shared = 48 * 1024;   // more needs cudaFuncSetAttribute
constexpr size_t largest_dynamic_shared = 227 * 1024;
constexpr size_t default_heap = 8 << 20;  // for malloc in kernels; more needs cudaDeviceSetLimit
constexpr unsigned warp_width = 32;

}  // namespace accache_cpu
