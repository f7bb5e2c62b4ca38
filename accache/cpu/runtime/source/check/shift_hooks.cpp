// The call that -fsanitize=shift-exponent plants before a shift by a negative number of bits, or by as many as the
// operand has, or more. C++ gives it no meaning: a GPU shifts all bits out, a CPU counts from 0 again.
#include "findings.h"
#include "state.h"

using namespace accache_cpu::check;

extern "C" void __ubsan_handle_shift_out_of_bounds(void *, size_t, size_t) {
    if (!state.in_kernel) return;
    const void *pc = __builtin_return_address(0);
    report({.kind = "wide-shift", .pc = pc, .detail = "by that many bits a GPU shifts otherwise than a CPU"});
}
