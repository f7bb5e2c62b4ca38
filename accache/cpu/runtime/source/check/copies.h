// Copy routines move values they do not use: what nobody wrote, or what other threads write meanwhile, may pass through.
// The copy carries the state of its source along, and whoever uses it is judged as if he had read the source then.
#pragma once

#include <cstddef>

#include "findings.h"
#include "state.h"

namespace accache_cpu::check {

// Accesses in a copy routine. A load stays open until the next access: with a store of as many bytes it is a copy if
// the loaded value is then in memory; if not, it was used, in a condition or as an index.
void load_in_copy(Region &region, size_t offset, size_t bytes, const void *pc);
void store_in_copy(Region &region, size_t offset, size_t bytes, const void *pc);
// A store to a variable of the thread's own: with an open load of as many bytes it hands on what nobody wrote.
void store_local_in_copy(size_t offset, size_t bytes, const void *pc);
// A structure's assignment, outside of copy routines: its store is named, then its load, and then the bytes move.
template <Access kind> void assign_structure(const void *address, size_t bytes, const void *pc);
void end_assignment();
// Decides what became of the last load. Before anything else, and before a thread stops.
void settle_open_copy();
inline void settle_copy() {
    if (__builtin_expect(state.open_copy.bytes != 0, 0)) settle_open_copy();
}

// Copies in these bytes are used: their sources have been read, which may be a race. The first is the common case alone,
// of a word that was copied as one or of a byte; false, and nothing done, of all else.
bool use_whole_copy(Region &region, size_t offset, size_t bytes, const void *pc);
void use_copies(Region &region, size_t offset, size_t bytes, const void *pc);

}  // namespace accache_cpu::check
