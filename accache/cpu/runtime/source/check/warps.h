// Which lanes of a warp have met in its operations. Where only some of them meet, the others do not know of them.
#pragma once

#include "state.h"

namespace accache_cpu::check {

// Some lanes of the warp whose first thread is given go on together; `whole`: all that are left of it.
void lanes_meet(unsigned first, uint32_t lanes, bool whole);

// Whether the running thread has met, since then, the lane of its warp that made an access in this phase.
bool has_met(Stamp access);

}  // namespace accache_cpu::check
