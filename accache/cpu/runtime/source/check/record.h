// The accesses of one block, written down in their order for whoever wants to look at them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "findings.h"

namespace accache_cpu::check {

void record_launch();           // a launch begins
void record_block(uint64_t);    // one of its blocks begins: the first one of a kernel's first launch is recorded
void record_end();              // the block ends
void record_access(Access access, const void *address, size_t bytes, const void *pc);

}  // namespace accache_cpu::check
