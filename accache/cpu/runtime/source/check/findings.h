// Findings: each kind once for a place in the code, written as a line of JSON as soon as it is seen.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shadow.h"

namespace accache_cpu::check {

enum class Access { read, write, atomic, atomic_read, atomic_write };  // atomic: reads and writes

constexpr bool is_atomic_access(Access access) { return access >= Access::atomic; }
constexpr bool only_reads(Access access) { return access == Access::read || access == Access::atomic_read; }
constexpr bool only_writes(Access access) { return access == Access::write || access == Access::atomic_write; }

struct Finding {
    const char *kind;
    const void *pc;
    const void *address = nullptr;
    size_t bytes = 0;
    Access access = Access::read;
    // The other party, where there is one.
    bool has_other = false;
    uint32_t other_pc = 0;
    Access other_access = Access::read;
    uint64_t other_block = 0;
    unsigned other_thread = 0;
    const char *detail = "";
    int thread = -1;                // in the block; -1: the running one
    const void *used_at = nullptr;  // where the running thread uses what `thread` copied
};

void report(const Finding &finding);
// Of the host: at `pc`, or, if that is null, at the directive it executes. `name` is the array's.
void report_on_host(const Finding &finding, const char *name, size_t element, size_t element_bytes,
                    size_t array_bytes);
// From here on findings go into another file, those that are known already, too.
void find_anew(const char *path);
// How often each finding occurred, and the counters of every kernel. Once, at the end of the process.
void write_summary();

// The array an address lies in or next to, for messages.
struct Place {
    const char *memory;      // "global", "heap", "shared", "variable", "host"
    char name[256];          // empty: unknown
    long long byte_offset;   // from the start of the array
    size_t array_bytes;      // 0: unknown
    size_t element_bytes;    // 0: unknown
    bool freed;
    size_t first_byte = 0;   // of the array that is there: a section of it
};
Place place_of(const void *address);

void remember_label(const void *device, size_t bytes, const char *name, size_t element_bytes);
void remember_begin(const void *device, size_t first_byte);

}  // namespace accache_cpu::check
