// Qualifiers, thread coordinates and block-wide barriers.
#pragma once

#include "vector_types.h"

// A check build keeps kernels and copy routines as functions of their own: the checker tells a copy routine by
// its pc range, and the launch wrapper around a kernel must not swallow its instrumented body.
#ifdef ACCACHE_CPU_CHECK
#define __global__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((noinline))
// What the private caches of threads (accache_private.cuh) do with their own state.
#define ACCACHE_PRIVATE_OWN __attribute__((no_sanitize("thread")))
#define ACCACHE_PRIVATE_PART __attribute__((always_inline))
#define ACCACHE_PRIVATE_COPY __builtin_memcpy
// A gap before every shared variable, so that running off the end of one is not hidden by the next.
#define ACCACHE_CPU_JOIN_(a, b) a##b
#define ACCACHE_CPU_JOIN(a, b) ACCACHE_CPU_JOIN_(a, b)
#define __shared__                                                                                             \
    static __thread __attribute__((used)) char ACCACHE_CPU_JOIN(accache_cpu_gap_, __COUNTER__)[1024];          \
    static __thread __attribute__((used, aligned(16)))
#else
#ifdef ACCACHE_CPU_CAPTURE  // a captured launch names its kernel's function
#define __global__ __attribute__((noinline, noclone))
#else
#define __global__
#endif
#define __forceinline__ inline __attribute__((always_inline))
// Blocks run on several cores at a time: each worker thread owns one copy of every shared variable.
#define __shared__ static __thread __attribute__((aligned(16)))
#endif

// extern __shared__ T name[]; is rewritten to this storage, whatever its name and type.
#define ACCACHE_CPU_DYNAMIC_SHARED extern __thread
#define ACCACHE_CPU_DYNAMIC_SYMBOL __asm__("accache_cpu_dynamic_shared")

namespace accache_cpu {
// What extern __shared__ T name[] of a template is: T (&name)[] = dynamic_shared.
struct DynamicShared {
    template <class T> operator T &() const { return *reinterpret_cast<T *>(address()); }
    static char *address();
};
static constexpr DynamicShared dynamic_shared{};

// Calls a routine that cannot be inlined with copies of its arguments, and gives a copy of its result.
template <class T> struct Same { typedef T type; };
template <class Result, class... Parameters>
inline ACCACHE_CPU_INLINED Result call(Result (*routine)(Parameters...), typename Same<Parameters>::type... values) {
    Result result = routine(values...);
    return static_cast<const Result &>(result);
}
template <class... Parameters>
inline ACCACHE_CPU_INLINED void call(void (*routine)(Parameters...), typename Same<Parameters>::type... values) {
    routine(values...);
}
}  // namespace accache_cpu
extern __thread char accache_cpu_dynamic_bytes[] __asm__("accache_cpu_dynamic_shared");
inline char *accache_cpu::DynamicShared::address() { return accache_cpu_dynamic_bytes; }

#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __noinline__  // empty: the C++ library writes __attribute__((__noinline__))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __CUDACC__ 1

extern "C" {
// Constant while a kernel call lasts, hence const: the compiler may keep them in registers across barriers.
// The scheduler defines and changes them between calls.
extern __thread const uint3 threadIdx __attribute__((tls_model("initial-exec")));
extern __thread const uint3 blockIdx __attribute__((tls_model("initial-exec")));
extern __thread const uint3 blockDim __attribute__((tls_model("initial-exec")));  // not dim3: constructors
extern __thread const uint3 gridDim __attribute__((tls_model("initial-exec")));   // would make it less constant

// Waits for the block; returns how many threads brought a true predicate. `site` names the barrier in the source.
unsigned accache_cpu_barrier(int site, int line, int predicate);
}
static constexpr int warpSize = 32;

// A counter, not the return address, names a barrier: the compiler may duplicate the call.
#define __syncthreads() ((void)accache_cpu_barrier(__COUNTER__, __LINE__, 0))
#define __syncthreads_count(predicate) ((int)accache_cpu_barrier(__COUNTER__, __LINE__, (predicate) != 0))
#define __syncthreads_or(predicate) (__syncthreads_count(predicate) != 0)
#define __syncthreads_and(predicate) (accache_cpu_barrier(__COUNTER__, __LINE__, (predicate) == 0) == 0)

// The order tells the checker the scope, as those of atomic accesses do (atomics.h).
static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
static inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

extern "C" int accache_cpu_in_other_order(void);  // the launch is executed again, for a comparison
extern "C" void accache_cpu_trap(void);
static inline void __trap() { accache_cpu_trap(); }

// What caches keep makes no difference here.
#define ACCACHE_CPU_LOAD(name) template <class T> ACCACHE_CPU_BY_VALUE T name(const T *pointer) { return *pointer; }
#define ACCACHE_CPU_STORE(name) \
    template <class T> ACCACHE_CPU_BY_VALUE void name(T *pointer, T value) { *pointer = value; }
ACCACHE_CPU_LOAD(__ldg)
ACCACHE_CPU_LOAD(__ldca)
ACCACHE_CPU_LOAD(__ldcg)
ACCACHE_CPU_LOAD(__ldcs)
ACCACHE_CPU_LOAD(__ldlu)
ACCACHE_CPU_LOAD(__ldcv)
ACCACHE_CPU_STORE(__stcg)
ACCACHE_CPU_STORE(__stcs)
ACCACHE_CPU_STORE(__stwb)
ACCACHE_CPU_STORE(__stwt)
#undef ACCACHE_CPU_LOAD
#undef ACCACHE_CPU_STORE

extern "C" void accache_cpu_pause(void);  // other threads of the block run
static inline void __nanosleep(unsigned) { accache_cpu_pause(); }
