// What the programs in this folder share: an error macro as many programs have it, and a verdict.
#pragma once

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        cudaError_t error_ = (call);                                                       \
        if (error_ != cudaSuccess) {                                                       \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_)); \
            std::exit(2);                                                                  \
        }                                                                                  \
    } while (0)

inline int verdict(bool right) {
    std::puts(right ? "right" : "wrong");
    return right ? 0 : 1;
}
