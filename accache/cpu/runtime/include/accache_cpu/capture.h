// For builds that capture launches: a launch tells the bytes of its arguments, and what its pointers point to.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>

extern "C" {
// An argument of a kernel. Where it is a pointer to objects of a known type, their size (else 0), a byte for each of
// theirs that is not 0 where it is padding (or null), and whether they are float or double.
struct accache_cpu_argument {
    const void *value;
    size_t bytes;
    size_t element_bytes;
    const unsigned char *padding;
    int is_float;
};
void accache_cpu_describe(const void *function, const accache_cpu_argument *arguments, size_t count);
const void *accache_cpu_here(void);          // a place in the calling function
extern __thread int accache_cpu_describing;  // kernels shall tell their arguments, and do nothing else
}

namespace accache_cpu {

template <class T, class = void> struct HasSize : std::false_type {};
template <class T> struct HasSize<T, std::void_t<decltype(sizeof(T))>> : std::bool_constant<std::is_object_v<T>> {};

template <class T> const unsigned char *padding_of() {
#ifdef __has_builtin
#if __has_builtin(__builtin_clear_padding)
    if constexpr (std::is_class_v<T> && std::is_trivially_copyable_v<T> && sizeof(T) <= 4096) {
        struct Mask {
            alignas(T) unsigned char bytes[sizeof(T)];
            Mask() {
                std::memset(bytes, 0xff, sizeof bytes);
                __builtin_clear_padding(reinterpret_cast<T *>(bytes));
                for (unsigned char &byte : bytes) byte = static_cast<unsigned char>(~byte);
            }
        };
        static const Mask mask;
        return mask.bytes;
    }
#endif
#endif
    return nullptr;
}

template <class T> accache_cpu_argument describe_argument(const T &value) {
    accache_cpu_argument argument{static_cast<const void *>(std::addressof(value)), sizeof(T), 0, nullptr, 0};
    if constexpr (std::is_pointer_v<T>) {
        using Element = std::remove_cv_t<std::remove_all_extents_t<std::remove_pointer_t<T>>>;
        if constexpr (HasSize<Element>::value) {
            argument.element_bytes = sizeof(Element);
            argument.padding = padding_of<Element>();
            argument.is_float = std::is_floating_point_v<Element>;
        }
    }
    return argument;
}

template <class... Parameters> void describe(const void *function, const Parameters &...parameters) {
    const accache_cpu_argument arguments[sizeof...(parameters) + 1] = {describe_argument(parameters)..., {}};
    accache_cpu_describe(function, arguments, sizeof...(parameters));
}

// A template's parameters are known inside of it only: the rewriter makes it begin with ACCACHE_CPU_PARAMETERS.
template <class Call> void describe_inside(Call &call) {
    accache_cpu_describing = 1;
    call();
    accache_cpu_describing = 0;
}

}  // namespace accache_cpu

// ACCACHE_CPU_PARAMETERS(accache_cpu_here(), names of the parameters...)
#define ACCACHE_CPU_PARAMETERS(...)                    \
    if (__builtin_expect(accache_cpu_describing, 0)) { \
        ::accache_cpu::describe(__VA_ARGS__);          \
        return;                                        \
    }
