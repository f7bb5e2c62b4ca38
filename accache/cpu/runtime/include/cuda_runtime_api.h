// The host side of the CUDA runtime, usable from C and from C++.
#pragma once

// Lets a program tell this runtime from the real one.
#ifndef ACCACHE_CPU
#define ACCACHE_CPU 1
#endif

// Headers of programs ask whether CUDA's have been included.
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__
#define __VECTOR_FUNCTIONS_H__

#include <stddef.h>

#include "accache_cpu/vector_types.h"
#include "accache_cpu/host_types.h"
#include "accache_cpu/host_api.h"
#ifdef ACCACHE_CPU_TEXTURES
#include "accache_cpu/textures.h"
#endif
