// The host side of the CUDA runtime, usable from C and from C++.
#pragma once

#include <stddef.h>

#include "accache_cpu/vector_types.h"
#include "accache_cpu/host_types.h"
#include "accache_cpu/host_api.h"
