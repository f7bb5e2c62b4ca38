# Makes accache-cc the C compiler of a whole project:
#
#     cmake -B build -DCMAKE_TOOLCHAIN_FILE=.../accache-toolchain.cmake [-DACCACHE_TARGET=cuda] [-DACCACHE_ARCH=sm_80]

set(ACCACHE_TARGET cpu CACHE STRING "What kernels are compiled for: cpu or cuda")
set(ACCACHE_ARCH sm_90 CACHE STRING "The GPU, as nvcc names it")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ACCACHE_TARGET ACCACHE_ARCH)

set(CMAKE_C_COMPILER accache-cc)
set(CMAKE_C_FLAGS_INIT "--target=${ACCACHE_TARGET} -arch=${ACCACHE_ARCH}")
