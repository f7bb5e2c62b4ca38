// Variables of a thread's own that are declared without a value, announced to the checker.
#pragma once

#include <cstddef>
#include <type_traits>

#include "vector_types.h"

namespace accache_cpu {

// One of them, for as long as its scope lasts. It has no constructor: jumps may pass it, as they may the variable.
struct Local {
    Local *before;  // the thread's last one before it
    const char *name;
    const volatile void *start;
    size_t bytes, element_bytes;
};

}  // namespace accache_cpu

#ifdef ACCACHE_CPU_CHECK
extern "C" {
void accache_cpu_local_begins(accache_cpu::Local *local, const volatile void *start, size_t bytes,
                              size_t element_bytes, const char *name);
void accache_cpu_local_ends(accache_cpu::Local *local);
// The same where it has a value: that which the thread's last exchange found. It has none if nobody had written there.
void accache_cpu_old_local_begins(accache_cpu::Local *local, const volatile void *start, size_t bytes,
                                  size_t element_bytes, const char *name);
// A variable that has a value, and may lose it.
void accache_cpu_set_local_begins(accache_cpu::Local *local, const volatile void *start, size_t bytes,
                                  size_t element_bytes, const char *name);
// The thread uses the value that its last exchange found; it has stored it; it makes another, or none.
void accache_cpu_old_is_used(void);
void accache_cpu_old_is_at(const volatile void *start, size_t bytes);
void accache_cpu_no_old(void);
// The thread brings a variable to a shuffle, whether it has a value or not: who gets it uses it.
void accache_cpu_brings(void *to, const void *from, size_t bytes);
}

namespace accache_cpu {
template <class T> inline ACCACHE_CPU_INLINED std::remove_cv_t<T> brought(const T &variable) {
    if constexpr (std::is_scalar_v<T>) {
        std::remove_cv_t<T> value;
        accache_cpu_brings(&value, const_cast<const std::remove_cv_t<T> *>(&variable), sizeof variable);
        return value;
    } else {
        return variable;
    }
}
template <class T> inline ACCACHE_CPU_INLINED void announce(Local *local, T &variable, const char *name) {
    using Element = std::remove_all_extents_t<T>;
    if constexpr (std::is_scalar_v<Element>)
        accache_cpu_local_begins(local, &variable, sizeof variable, sizeof(Element), name);
}
template <class T> inline ACCACHE_CPU_INLINED void announce_set(Local *local, T &variable, const char *name) {
    using Element = std::remove_all_extents_t<T>;
    if constexpr (std::is_scalar_v<Element>)
        accache_cpu_set_local_begins(local, &variable, sizeof variable, sizeof(Element), name);
}
template <class T> inline ACCACHE_CPU_INLINED void announce_old(Local *local, const T &variable, const char *name) {
    if constexpr (std::is_scalar_v<T>)
        accache_cpu_old_local_begins(local, &variable, sizeof variable, sizeof variable, name);
}
// Of `place = atomicExch(...)`; a class may make something else of it.
template <class T> inline ACCACHE_CPU_INLINED T &&old_into(T &&place) {
    if constexpr (std::is_lvalue_reference_v<T> && std::is_scalar_v<std::remove_reference_t<T>>)
        accache_cpu_old_is_at(&place, sizeof place);
    return static_cast<T &&>(place);
}
}  // namespace accache_cpu

#define ACCACHE_CPU_BROUGHT(name) ::accache_cpu::brought(name)
#define ACCACHE_CPU_OLD_LOCAL(name)                                                                   \
    ::accache_cpu::Local accache_local_##name __attribute__((cleanup(accache_cpu_local_ends)));       \
    ::accache_cpu::announce_old(&accache_local_##name, name, #name);
#define ACCACHE_CPU_OLD(...)                          \
    __extension__({                                   \
        const auto accache_old = __VA_ARGS__;         \
        accache_cpu_old_is_used();                    \
        accache_old;                                  \
    })
#ifdef ACCACHE_CPU_BIT_FIELDS
#define ACCACHE_CPU_OLD_INTO(...) (__VA_ARGS__)
#else
#define ACCACHE_CPU_OLD_INTO(...) ::accache_cpu::old_into(__VA_ARGS__)
#endif
#define ACCACHE_CPU_EXCHANGE(...) (accache_cpu_no_old(), __VA_ARGS__)

#define ACCACHE_CPU_LOCAL(name)                                                                       \
    ::accache_cpu::Local accache_local_##name __attribute__((cleanup(accache_cpu_local_ends)));       \
    ::accache_cpu::announce(&accache_local_##name, name, #name);
#define ACCACHE_CPU_SET_LOCAL(name)                                                                   \
    ::accache_cpu::Local accache_local_##name __attribute__((cleanup(accache_cpu_local_ends)));       \
    ::accache_cpu::announce_set(&accache_local_##name, name, #name);
#endif
