// Copies to and from __device__ and __constant__ variables, which are ordinary variables of the program here.
#pragma once

#include "host_api.h"

extern "C" cudaError_t accache_cpu_symbol_copy(void *to, const void *from, size_t bytes, size_t offset, size_t size);
extern "C" void accache_cpu_symbol(const void *address, size_t bytes);  // it may be used as device memory

template <class T>
static inline cudaError_t cudaMemcpyToSymbol(T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                             cudaMemcpyKind = cudaMemcpyHostToDevice) {
    char *place = reinterpret_cast<char *>(&const_cast<char &>(reinterpret_cast<const volatile char &>(symbol)));
    return accache_cpu_symbol_copy(place + offset, from, bytes, offset, sizeof symbol);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                                  cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t = nullptr) {
    return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                               cudaMemcpyKind = cudaMemcpyDeviceToHost) {
    const char *place = &const_cast<const char &>(reinterpret_cast<const volatile char &>(symbol));
    return accache_cpu_symbol_copy(to, place + offset, bytes, offset, sizeof symbol);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                                    cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                    cudaStream_t = nullptr) {
    return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}
template <class P, class T> static inline cudaError_t cudaGetSymbolAddress(P **pointer, const T &symbol) {
    *pointer = reinterpret_cast<P *>(&const_cast<char &>(reinterpret_cast<const volatile char &>(symbol)));
    accache_cpu_symbol(*pointer, sizeof symbol);
    return cudaSuccess;
}
template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol) {
    *bytes = sizeof symbol;
    return cudaSuccess;
}
