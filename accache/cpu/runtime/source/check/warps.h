// Which lanes of a warp have met in its operations. Where only some of them meet, the others do not know of them.
#pragma once

#include "state.h"

namespace accache_cpu::check {

// Some lanes of the warp whose first thread is given go on together; `whole`: all of it.
void lanes_meet(unsigned first, uint32_t lanes, bool whole);

// Whether the running thread has met, since then, the lane of its warp that made an access in this phase.
bool has_met(Stamp access);

// Of each lane of the running thread's warp the warp phase before which that thread knows what the lane did, by
// meetings in this phase; `me` is the thread's stamp.
struct Meetings {
    unsigned lanes[warp_width];
};
Meetings meetings_of(Stamp me);

}  // namespace accache_cpu::check
