// CUDA has this header; what programs include it for is in <cuda_runtime.h>.
#pragma once
#include <cuda_runtime.h>
