// Variables of a thread's own that are declared without a value: uses of them before they have one.
#pragma once

#include "findings.h"
#include "state.h"

namespace accache_cpu::check {

// An access to the running thread's stack.
void local_access(size_t offset, size_t bytes, Access access, const void *pc);
inline bool holds_unset(size_t offset, size_t bytes) { return few_bits(state.locals.unset, offset, bytes) != 0; }
inline size_t offset_on_stack(const volatile void *address) {
    return static_cast<size_t>(static_cast<const volatile char *>(address) - state.locals.stack);
}
inline bool is_on_stack(const void *address) { return offset_on_stack(address) < stack_bytes; }
// A copy within the stack hands on what is not set. Mostly nothing near either place is: that is seen at once.
inline void copy_locals(const void *to, const void *from, size_t bytes) {
    size_t target = offset_on_stack(to), source = offset_on_stack(from);
    if (bytes <= few && !(word_of_bits(state.locals.unset, target) | word_of_bits(state.locals.unset, source))) return;
    copy_bits(state.locals.unset, target, state.locals.unset, source, bytes);
}
// The variable that lies at an address; null if it was not announced.
const Local *local_at(const void *address);

}  // namespace accache_cpu::check
