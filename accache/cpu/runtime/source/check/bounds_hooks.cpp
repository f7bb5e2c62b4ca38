// The call that -fsanitize=bounds plants before an index of an array whose length its type tells: arrays of a thread's own,
// rows of matrices, members. That the address lies in some array, as it may here, is no excuse.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "findings.h"
#include "state.h"

using namespace accache_cpu::check;

namespace {

struct Type {
    uint16_t kind, info;  // of an integer: whether it has a sign, and the logarithm of its bits
    char name[1];
};
struct Bounds {
    const char *file;
    uint32_t line, column;
    const Type *array, *index;
};

long long value_of(size_t handle, const Type &type) {
    unsigned bits = 1u << (type.info >> 1);
    if (bits > 64) return 0;
    uint64_t raw = handle;
    if (type.info & 1) return static_cast<long long>(raw << (64 - bits)) >> (64 - bits);
    return static_cast<long long>(raw);
}

}  // namespace

extern "C" void __ubsan_handle_out_of_bounds(Bounds *data, size_t index) {
    if (!state.in_kernel) return;
    static char detail[300];
    std::snprintf(detail, sizeof detail, "index %lld of %s", value_of(index, *data->index), data->array->name);
    report({.kind = "index", .pc = __builtin_return_address(0), .detail = detail});
}
