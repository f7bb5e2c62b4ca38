#include "shadow.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace accache_cpu::check {

constexpr size_t large_region = size_t{64} << 20;

template <class T> static T *reserve_array(size_t count) {
    void *memory = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        std::perror("accache-cpu: cannot reserve shadow memory");
        std::abort();
    }
    return static_cast<T *>(memory);
}

void Region::reserve(const void *start, size_t size) {
    base = reinterpret_cast<uintptr_t>(start) & ~uintptr_t{63};
    reserved = (size + 127) & ~size_t{63};
    exists = reserve_array<uint8_t>(reserved / 8 + 16);
    written = reserve_array<uint8_t>(reserved / 8 + 16);
    words = reserve_array<Cell>(reserved / 4 + 16);
    single_bytes = reserve_array<Cell>(reserved + 64);
    // Eight times, or 32 times, as large as what they tell of: page by page the system would be at work for long.
    // Of little memory one large page would be most of the work.
    if (size < large_region) return reserve_readers();
    madvise(words, reserved / 4 * sizeof(Cell), MADV_HUGEPAGE);
    madvise(single_bytes, reserved * sizeof(Cell), MADV_HUGEPAGE);
    reserve_readers();
}

void Region::reserve_readers() {
    word_readers = reserve_array<uint32_t>(reserved / 4 + 16);
    byte_readers = reserve_array<uint32_t>(reserved + 64);
}

void Region::reserve_copies() {
    copied = reserve_array<uint8_t>(reserved / 8 + 16);
    origins = reserve_array<Origin>(reserved);
}

void Region::reserve_outdated() { outdated = reserve_array<uint8_t>(reserved / 8 + 16); }

void set_many_bits(uint8_t *bitmap, size_t first, size_t count, bool value) {
    size_t end = first + count;
    auto set_one = [&](size_t i) {
        if (value) bitmap[i / 8] |= static_cast<uint8_t>(1u << i % 8);
        else bitmap[i / 8] &= static_cast<uint8_t>(~(1u << i % 8));
    };
    while (first < end && first % 8) set_one(first++);
    size_t whole = (end - first) / 8;
    std::memset(bitmap + first / 8, value ? 0xff : 0, whole);
    for (first += whole * 8; first < end; ++first) set_one(first);
}

uint64_t get_bits(const uint8_t *bitmap, size_t first, size_t count) {
    unsigned __int128 bits;
    std::memcpy(&bits, bitmap + first / 8, sizeof bits);
    return static_cast<uint64_t>(bits >> first % 8) & low_bits(count);
}

void copy_many_bits(uint8_t *to, size_t to_first, const uint8_t *from, size_t from_first, size_t count) {
    if (to_first % 8 == 0 && from_first % 8 == 0) {
        std::memmove(to + to_first / 8, from + from_first / 8, count / 8);
        to_first += count / 8 * 8, from_first += count / 8 * 8, count %= 8;
    }
    for (size_t done = 0; done < count; done += 64) {
        size_t part = std::min<size_t>(64, count - done);
        uint64_t bits = get_bits(from, from_first + done, part);
        for (size_t i = 0; i < part; ++i) set_bits(to, to_first + done + i, 1, bits >> i & 1);
    }
}

void add_bits(uint8_t *to, size_t to_first, const uint8_t *from, size_t from_first, size_t count) {
    for (size_t done = 0; done < count; done += few) {
        size_t part = std::min(few, count - done);
        uint32_t added = few_bits(from, from_first + done, part);
        if (added) put_few_bits(to, to_first + done, part, few_bits(to, to_first + done, part) | added);
    }
}

}  // namespace accache_cpu::check
