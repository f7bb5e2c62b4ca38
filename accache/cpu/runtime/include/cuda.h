// Programs include <cuda.h> out of habit; the driver API itself is not offered here.
#pragma once
#include "cuda_runtime_api.h"

#define CUDA_VERSION CUDART_VERSION
