// Shadow memory: for every byte that kernels may share, whether it exists, whether somebody wrote it, who touched it
// last, and of what it is a copy.
#pragma once

#include <cstddef>
#include <cstdint>

namespace accache_cpu::check {

// Who made an access and when. Blocks run one after another, so a larger stamp is a later phase or block:
// phase (34 bits), epoch (8), warp phase (10), thread in the block (10), flags (2). A phase lasts from barrier to
// barrier, an epoch of a thread from fence to fence within a phase.
using Stamp = uint64_t;

constexpr unsigned thread_shift = 2, warp_phase_shift = 12, epoch_shift = 22, phase_shift = 30;
constexpr unsigned last_epoch = 255, last_warp_phase = 1023;  // from there on they are not counted
constexpr Stamp epoch_bits = Stamp{last_epoch} << epoch_shift;
constexpr Stamp flags = 3, thread_bits = Stamp{1023} << thread_shift, warp_phase_bits = Stamp{1023} << warp_phase_shift;
constexpr Stamp warp_bits = thread_bits & ~(Stamp{31} << thread_shift);
constexpr Stamp is_atomic = 1, within_block = 2;       // of a write; within_block: atomic for its own block only
constexpr Stamp by_copy = 2;                           // of a write, alone: a copy or fill by the host's order
constexpr Stamp several_lanes = 1, several_warps = 2;  // of a read: others read in the same phase too
constexpr Stamp split = ~Stamp{0};                     // the word's bytes have cells of their own

constexpr unsigned thread_of(Stamp stamp) { return static_cast<unsigned>((stamp & thread_bits) >> thread_shift); }
constexpr unsigned epoch_of(Stamp stamp) { return static_cast<unsigned>((stamp & epoch_bits) >> epoch_shift); }
constexpr unsigned warp_phase_of(Stamp stamp) {
    return static_cast<unsigned>((stamp & warp_phase_bits) >> warp_phase_shift);
}
constexpr uint64_t phase_of(Stamp stamp) { return stamp >> phase_shift; }

// The last accesses to one word, or to one byte of a split word.
struct alignas(32) Cell {
    Stamp write, read;
    Stamp read_before;  // the last read by a block before that of `read`, or by a queue that nobody waits for
    uint32_t write_pc, read_pc;
};

// Where the copy of a byte comes from: who read it when, and a write that races with this.
struct Origin {
    const char *source;
    Stamp read, write;  // write: 0 if none was seen
    uint32_t read_pc, write_pc;
};

// A range of addresses with its shadow. The shadow is reserved, not filled: untouched memory costs nothing.
struct Region {
    uintptr_t base = 0;
    size_t bytes = 0;            // what kernels may see now; 0 outside kernels
    size_t reserved = 0;
    uint8_t *exists = nullptr;   // one bit for each byte
    uint8_t *written = nullptr;  // likewise
    // Device memory only: bytes with a value, which the host has changed since; their `written` bits are cleared.
    uint8_t *outdated = nullptr;
    Cell *words = nullptr;
    Cell *single_bytes = nullptr;
    // Where the reads of `read_before` were made, for each word and each single byte. Rarely written, and apart.
    uint32_t *word_readers = nullptr, *byte_readers = nullptr;
    // Shared memory only: the bytes that hold a copy nobody has used yet (they do not count as written), and of what.
    uint8_t *copied = nullptr;
    Origin *origins = nullptr;
    bool shared = false;  // one copy a block: blocks cannot race

    void reserve(const void *start, size_t size);
    void reserve_readers();
    void reserve_copies();
    void reserve_outdated();
    size_t offset(const void *address) const { return reinterpret_cast<uintptr_t>(address) - base; }
    bool covers(const void *address) const { return offset(address) < reserved; }
};

// The bits of up to 64 bytes of memory, one a byte, the first in the lowest place.
uint64_t get_bits(const uint8_t *bitmap, size_t first, size_t count);

// The same and its opposite for up to 16 bytes, faster.
constexpr size_t few = 16;
inline uint32_t word_of_bits(const uint8_t *bitmap, size_t first) {
    uint32_t bits;
    __builtin_memcpy(&bits, bitmap + first / 8, sizeof bits);
    return bits;
}
inline uint32_t few_bits(const uint8_t *bitmap, size_t first, size_t count) {
    return word_of_bits(bitmap, first) >> first % 8 & ((1u << count) - 1);
}
inline void put_few_bits(uint8_t *bitmap, size_t first, size_t count, uint32_t values) {
    uint32_t mask = ((1u << count) - 1) << first % 8;
    uint32_t bits = (word_of_bits(bitmap, first) & ~mask) | values << first % 8;
    __builtin_memcpy(bitmap + first / 8, &bits, sizeof bits);
}

// Bit ranges; most are those of a scalar.
void set_many_bits(uint8_t *bitmap, size_t first, size_t count, bool value);
void copy_many_bits(uint8_t *to, size_t to_first, const uint8_t *from, size_t from_first, size_t count);
void add_bits(uint8_t *to, size_t to_first, const uint8_t *from, size_t from_first, size_t count);
inline void set_bits(uint8_t *bitmap, size_t first, size_t count, bool value) {
    if (count <= few) put_few_bits(bitmap, first, count, value ? (1u << count) - 1 : 0);
    else set_many_bits(bitmap, first, count, value);
}
inline void copy_bits(uint8_t *to, size_t to_first, const uint8_t *from, size_t from_first, size_t count) {
    if (count <= few) put_few_bits(to, to_first, count, few_bits(from, from_first, count));
    else copy_many_bits(to, to_first, from, from_first, count);
}

constexpr uint64_t low_bits(size_t count) { return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1; }

}  // namespace accache_cpu::check
