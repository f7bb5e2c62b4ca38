// The call that -fsanitize=alignment plants before an access that may not be aligned.
#include <cstdio>

#include "findings.h"
#include "mismatch.h"
#include "state.h"

using namespace accache_cpu::check;

extern "C" void __ubsan_handle_type_mismatch_v1(accache_cpu::Mismatch *data, size_t address) {
    if (!state.in_kernel || !data->is_access()) return;
    static char detail[300];
    std::snprintf(detail, sizeof detail, "its address is no multiple of %u, as that of %s must be", data->bytes(),
                  data->type->name);
    report({.kind = "misaligned",
            .pc = __builtin_return_address(0),
            .address = reinterpret_cast<const void *>(address),
            .bytes = data->bytes(),
            .access = data->is_store() ? Access::write : Access::read,
            .detail = detail});
}
