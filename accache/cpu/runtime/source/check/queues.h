// What is in one stream and what in another: copies, fills and launches that nobody has waited for yet.
#pragma once

#include <cstddef>

#include "findings.h"
#include "shadow.h"

namespace accache_cpu::check {

// Whether a stamp of an earlier launch or copy is of one that the running launch does not wait for.
bool of_other_queue(Stamp stamp);
// Where the first launch or copy begins that what follows does not wait for; `otherwise` if there is none.
Stamp start_of_unfinished(Stamp otherwise);
// Marks a copy that has just been made; the device's end of it is in step with the host's again.
void copied_by_queue(const void *to, const void *from, size_t bytes);
// Whether a stream may still be copying memory of the host, or leave a result there; tells if the host touches it.
bool has_unfinished();
bool tell_of_unfinished(const void *host, size_t bytes, Access access, const void *pc);

}  // namespace accache_cpu::check
