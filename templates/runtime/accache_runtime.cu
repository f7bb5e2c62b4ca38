// The run-time library on its own: for programs whose C files call the routines of openacc.h (or translated host code)
// and whose .cu files do not carry them. It is inline in them too: linked together, all share one state.
//     nvcc -c -I<this folder> accache_runtime.cu               for a GPU
//     g++ -std=c++17 -x c++ -c -DACCACHE_CPU -I<this folder> -I<the CPU run-time's include> accache_runtime.cu
// Then link accache_runtime.o with the program's objects, in any order.
#include "accache_launch.cuh"
#define inline inline __attribute__((used)) // emitted here, whether or not something here calls it
#include "accache_openacc.cuh"

// Objects of accache cc name this, so that a link without accache cc says what to do.
extern "C" __attribute__((weak)) const char link_this_program_with_accache_cc;
const char link_this_program_with_accache_cc = 0;
