// What the runtime tells the checker. In a plain build every call is empty and compiles to nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fiber.h"

namespace accache_cpu {

struct Launch;
struct SharedMemory;

namespace check {

#ifdef ACCACHE_CPU_CHECK
constexpr bool enabled = true;
#define ACCACHE_CPU_EVENT(declaration) declaration;
#else
constexpr bool enabled = false;
#define ACCACHE_CPU_EVENT(declaration) inline declaration {}
#endif

ACCACHE_CPU_EVENT(void begin_launch(const Launch &))
ACCACHE_CPU_EVENT(void end_launch())
ACCACHE_CPU_EVENT(void begin_block(uint64_t))
ACCACHE_CPU_EVENT(void end_block())
ACCACHE_CPU_EVENT(void begin_thread(const Fiber &))
ACCACHE_CPU_EVENT(void stop_thread())  // it waits or is done
ACCACHE_CPU_EVENT(void resume_thread(const Fiber &))
ACCACHE_CPU_EVENT(void next_phase())
ACCACHE_CPU_EVENT(void grid_met(uint64_t))  // the running thread knows all phases up to this one
// Lanes of the warp that begins at a thread meet; true: all of it, but for lanes of their mask that have left the kernel.
ACCACHE_CPU_EVENT(void warp_meets(unsigned, uint32_t, bool))
// A lane gets what this one brought to a shuffle; that is over for the lanes of the warp that begins at a thread.
ACCACHE_CPU_EVENT(void received(const Fiber &))
ACCACHE_CPU_EVENT(void end_shuffle(unsigned, uint32_t))
ACCACHE_CPU_EVENT(void divergence(const Fiber &, const Fiber *))
ACCACHE_CPU_EVENT(void poison_shared(const SharedMemory &, size_t))
ACCACHE_CPU_EVENT(void illegal_address(const void *, const void *))
ACCACHE_CPU_EVENT(void invalid_free(const void *, const void *))

ACCACHE_CPU_EVENT(void allocated(char *, size_t))
ACCACHE_CPU_EVENT(void freed(char *, size_t))
ACCACHE_CPU_EVENT(void given_back(char *, size_t, const void *))  // by a thread of a kernel
ACCACHE_CPU_EVENT(void written(const void *, size_t))
ACCACHE_CPU_EVENT(void before_copy(const void *, const void *, size_t))
ACCACHE_CPU_EVENT(void copied(const void *, const void *, size_t))
ACCACHE_CPU_EVENT(void fetched(const void *, size_t, const char *))  // to the host, by a directive: all of it was written?
ACCACHE_CPU_EVENT(void labelled(const void *, size_t, const char *, size_t))
ACCACHE_CPU_EVENT(void begins(const void *, size_t))  // how far behind the begin of its array

// The host: the directive it executes, memory of it with a copy on the device.
ACCACHE_CPU_EVENT(void at(const char *, int))
ACCACHE_CPU_EVENT(void mapped(const void *, const void *, size_t))
ACCACHE_CPU_EVENT(void unmapped(const void *))
// Streams (null: the default one): what follows of copies, fills and launches is in this one; the host, or another
// stream, waits for what is in it. A result that a stream's host function leaves.
ACCACHE_CPU_EVENT(void enqueue(const void *, bool))  // true: the host waits for it
ACCACHE_CPU_EVENT(void new_queue(const void *, bool))  // true: it and the default stream wait for each other
ACCACHE_CPU_EVENT(void host_waits(const void *))
ACCACHE_CPU_EVENT(void host_waits_for_all())
ACCACHE_CPU_EVENT(void record_event(const void *, const void *))
ACCACHE_CPU_EVENT(void wait_for_event(const void *, const void *))  // the host, if there is no stream
ACCACHE_CPU_EVENT(void left_by_queue(const void *, size_t))

// Some threads of a launch may run alone, behind which the process ends (check/alone.h).
ACCACHE_CPU_EVENT(void before_launch(const Launch &))
ACCACHE_CPU_EVENT(void after_launch(const Launch &))
#ifdef ACCACHE_CPU_CHECK
bool runs_in_part(const Launch &);
bool runs_block(const Launch &, uint64_t);
bool runs_thread(const Launch &, uint64_t block, uint3);
#else
inline bool runs_in_part(const Launch &) { return false; }
inline bool runs_block(const Launch &, uint64_t) { return true; }
inline bool runs_thread(const Launch &, uint64_t, uint3) { return true; }
#endif

ACCACHE_CPU_EVENT(void finish())  // the process ends at once

// Another worker takes over, and gives back; what it runs on has shared memory of its own.
struct Suspended;
ACCACHE_CPU_EVENT(void begin_relief())
ACCACHE_CPU_EVENT(void end_relief())
ACCACHE_CPU_EVENT(void resume(Suspended *))
#ifdef ACCACHE_CPU_CHECK
Suspended *suspend();
uint64_t phase_now();
#else
inline uint64_t phase_now() { return 0; }
inline Suspended *suspend() { return nullptr; }
#endif

#undef ACCACHE_CPU_EVENT

}  // namespace check
}  // namespace accache_cpu
