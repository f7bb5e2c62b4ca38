// kernel<<<grid, block, shared, stream>>>(arguments), after the rewriter made it
// accache_cpu::launch("kernel", kernel, grid, block, shared, stream)(arguments).
#pragma once

#include "host_types.h"
#include "vector_types.h"

extern "C" {
struct accache_cpu_launch {
    const char *name;
    const void *function;  // null where the kernel is a template with deduced arguments
    dim3 grid, block;
    size_t shared;
    void (*thread)(void *call);  // runs one thread
    void *call;
    void (*describe)(void *);  // tells capture.h of the arguments; null in a build without capture
    void *described;
    bool by_block = false;  // `thread` runs all threads of a block
    const void *stream = nullptr;
};
void accache_cpu_run(const accache_cpu_launch *launch);
}

#ifdef ACCACHE_CPU_CAPTURE
#include "capture.h"
#endif

namespace accache_cpu {

struct Configuration {
    const char *name;
    dim3 grid, block;
    size_t shared;
    const void *stream;
};

// The call itself is not checked: it reads the arguments from the host's stack.
template <class Call, class Description>
__attribute__((no_sanitize("thread"))) inline void run(const Configuration &c, const void *function, Call &call,
                                                       [[maybe_unused]] Description &description,
                                                       bool by_block = false) {
    auto thread = [](void *p) __attribute__((no_sanitize("thread"))) { (*static_cast<Call *>(p))(); };
    accache_cpu_launch request{c.name, function, c.grid, c.block, c.shared, thread, &call, nullptr, nullptr, by_block, c.stream};
#ifdef ACCACHE_CPU_CAPTURE
    request.describe = [](void *p) { (*static_cast<Description *>(p))(); };
    request.described = &description;
#endif
    accache_cpu_run(&request);
}

template <class... Parameters> struct PlainLaunch {
    Configuration configuration;
    void (*kernel)(Parameters...);

    __attribute__((no_sanitize("thread"))) void operator()(Parameters... arguments) const {
        auto call = [&]() __attribute__((no_sanitize("thread"))) { kernel(arguments...); };
        const void *function = reinterpret_cast<const void *>(kernel);
#ifdef ACCACHE_CPU_CAPTURE
        auto description = [&] { describe(function, arguments...); };
        run(configuration, function, call, description);
#else
        run(configuration, function, call, call);
#endif
    }
};

// Of a kernel that runs all threads of a block in one call.
template <class... Parameters> struct BlockLaunch {
    Configuration configuration;
    void (*kernel)(Parameters...);

    void operator()(Parameters... arguments) const {
        auto call = [&]() { kernel(arguments...); };
        run(configuration, reinterpret_cast<const void *>(kernel), call, call, true);
    }
};

template <class Kernel> struct DeducedLaunch {
    Configuration configuration;
    Kernel kernel;

    template <class... Arguments>
    __attribute__((no_sanitize("thread"))) void operator()(Arguments... arguments) const {
        auto call = [&]() __attribute__((no_sanitize("thread"))) { kernel(arguments...); };
#ifdef ACCACHE_CPU_CAPTURE
        auto description = [&] { describe_inside(call); };
        run(configuration, nullptr, call, description);
#else
        run(configuration, nullptr, call, call);
#endif
    }
};

template <class... Parameters>
inline PlainLaunch<Parameters...> launch(const char *name, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                                         size_t shared = 0, cudaStream_t stream = nullptr) {
    return {{name, grid, block, shared, stream}, kernel};
}

template <class... Parameters>
inline BlockLaunch<Parameters...> launch_blocks(const char *name, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                                                size_t shared = 0, cudaStream_t stream = nullptr) {
    return {{name, grid, block, shared, stream}, kernel};
}

template <class Kernel>
inline DeducedLaunch<Kernel> launch_deduced(const char *name, Kernel kernel, dim3 grid, dim3 block, size_t shared = 0,
                                            cudaStream_t stream = nullptr) {
    return {{name, grid, block, shared, stream}, kernel};
}

}  // namespace accache_cpu
