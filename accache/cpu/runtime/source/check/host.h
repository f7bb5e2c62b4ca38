// What the host does with memory that has a copy on the device: it may read what only the device has new, write what the
// device will not see, or do so while a queue is at it.
#pragma once

#include <cstddef>

#include "findings.h"
#include "shadow.h"
#include "state.h"

namespace accache_cpu::check {

struct HostPlace {
    const char *file;
    int line;
};
const HostPlace &host_place();  // the directive that was executed last
bool knows_directives();        // the program is one of OpenACC

Attention host_attention();  // the addresses that have a copy on the device, and some between them

// An access of the host's own code.
void host_access(const void *address, size_t bytes, Access access, const void *pc);

// Bytes on the device that the host has changed since: told if the values differ. Else they count as written again.
bool use_outdated(Region &region, size_t offset, size_t bytes, Access access, const void *pc);
// The same of a copy of one in shared memory, that nobody wrote otherwise.
bool copy_of_outdated(const Region &shared, size_t offset, Access access, const void *pc);

void report_race_of_copy(uintptr_t device, const Cell &cell, bool written);

}  // namespace accache_cpu::check
