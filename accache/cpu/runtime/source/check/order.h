// What fences and atomic accesses order beyond barriers: a thread makes a fence and changes a variable atomically,
// another sees that change, and after a fence of its own everything that came before the first.
#pragma once

#include "state.h"

namespace accache_cpu::check {

void forget_order();    // a launch begins
void forget_threads();  // a block begins

// Of the running thread. `whole_device`: not only its block's threads are ordered by it.
void fence(bool whole_device);
// It changes the variable at an address atomically; state.block_scope tells for whom. What others left there goes on,
// unless it only stores.
void release(const void *address);
void release_by_store(const void *address);
// It sees what others left there, now or (a lock) at its next fence or barrier.
void acquire(const void *address);
void acquire_at_fence(const void *address);

// All blocks have met, when this phase began.
void know_everything_before(uint64_t phase);
// All threads of the block have met, or some lanes of a warp; `whole`: all of it.
void share_in_block();
void share_in_warp(unsigned first, uint32_t lanes, bool whole);

// The running block stops, another one runs, and it goes on: as if all that it did before were over.
struct OrderInBlock;
OrderInBlock *suspend_order();
void resume_order(OrderInBlock *order);

// Several threads read a cell in this phase, and know nothing of each other: `reader` is one of these accesses. Only
// behind the phase's first fence, as most phases have none.
void note_reader(const Cell &cell, Stamp reader);
// Whether the running thread knows of all of these, as far as they were noted.
bool readers_happened_before(const Cell &cell);

// A read by a block before that of a cell's `read_before`, of which its cell has no room to tell. Only where fences may
// order some of such reads and not others: of those that nothing orders one is enough.
struct Reader {
    Stamp stamp;
    uint32_t pc;
};
void note_reader_before(const Cell &cell, Reader reader);
// One of them that the running thread does not know of; its stamp is 0 if there is none.
Reader unknown_reader_before(const Cell &cell);

// Whether the running thread knows of an access.
bool happened_before(Stamp access);

}  // namespace accache_cpu::check
