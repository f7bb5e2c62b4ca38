// Variables of a thread's own that are declared without a value: uses of them before they have one.
#pragma once

#include "findings.h"
#include "state.h"

namespace accache_cpu::check {

// An access to the running thread's stack.
void local_access(size_t offset, size_t bytes, Access access, const void *pc);
inline bool holds_unset(size_t offset, size_t bytes) { return few_bits(state.locals.unset, offset, bytes) != 0; }
// A copy within the stack hands on what is not set.
void copy_locals(const void *to, const void *from, size_t bytes);
// The variable that lies at an address; null if it was not announced.
const Local *local_at(const void *address);

}  // namespace accache_cpu::check
