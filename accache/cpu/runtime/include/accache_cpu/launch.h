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
};
void accache_cpu_run(const accache_cpu_launch *launch);
}

namespace accache_cpu {

struct Configuration {
    const char *name;
    dim3 grid, block;
    size_t shared;
};

// The call itself is not checked: it reads the arguments from the host's stack.
template <class Call>
__attribute__((no_sanitize("thread"))) inline void run(const Configuration &c, const void *function, Call &call) {
    auto thread = [](void *p) __attribute__((no_sanitize("thread"))) { (*static_cast<Call *>(p))(); };
    accache_cpu_launch request{c.name, function, c.grid, c.block, c.shared, thread, &call};
    accache_cpu_run(&request);
}

template <class... Parameters> struct PlainLaunch {
    Configuration configuration;
    void (*kernel)(Parameters...);

    __attribute__((no_sanitize("thread"))) void operator()(Parameters... arguments) const {
        auto call = [&]() __attribute__((no_sanitize("thread"))) { kernel(arguments...); };
        run(configuration, reinterpret_cast<const void *>(kernel), call);
    }
};

template <class Kernel> struct DeducedLaunch {
    Configuration configuration;
    Kernel kernel;

    template <class... Arguments>
    __attribute__((no_sanitize("thread"))) void operator()(Arguments... arguments) const {
        auto call = [&]() __attribute__((no_sanitize("thread"))) { kernel(arguments...); };
        run(configuration, nullptr, call);
    }
};

template <class... Parameters>
inline PlainLaunch<Parameters...> launch(const char *name, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                                         size_t shared = 0, cudaStream_t = nullptr) {
    return {{name, grid, block, shared}, kernel};
}

template <class Kernel>
inline DeducedLaunch<Kernel> launch_deduced(const char *name, Kernel kernel, dim3 grid, dim3 block, size_t shared = 0,
                                            cudaStream_t = nullptr) {
    return {{name, grid, block, shared}, kernel};
}

}  // namespace accache_cpu
