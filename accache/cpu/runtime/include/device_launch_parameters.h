// threadIdx, blockIdx, blockDim and gridDim come with the kernel header.
#pragma once
#include "cuda_runtime.h"
