// A software cache of each thread's own for kernels whose threads scan records of their own (S-L1, MEMSYS 2015).
//
// Each array has a line of shared memory for each thread; masks of bytes say what a line holds and what it owes to
// memory. The first arrays have lines at once. Threads count what would hit, and then the block gives the lines to those
// that pay; without monitoring they stay where they are. See docs/private.md.
#ifndef ACCACHE_PRIVATE_CUH
#define ACCACHE_PRIVATE_CUH

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ACCACHE_PRIVATE_THRESHOLD
#define ACCACHE_PRIVATE_THRESHOLD 300 // calls of a thread that are monitored; 0: none, and nothing is decided
#endif

#ifdef __CUDACC__
#define ACCACHE_PRIVATE_UNROLL _Pragma("unroll")
#define ACCACHE_PRIVATE_ROLL _Pragma("unroll 1")
#else
#define ACCACHE_PRIVATE_UNROLL
#define ACCACHE_PRIVATE_ROLL
#endif
#ifndef ACCACHE_PRIVATE_OWN
#define ACCACHE_PRIVATE_OWN // functions that touch only what is their thread's own: a checker need not follow them
#define ACCACHE_PRIVATE_PART // functions that are parts of others: a checker is told of each call
#define ACCACHE_PRIVATE_COPY memcpy // between variables of a thread's own
#endif
#if defined ACCACHE_CPU || defined ACCACHE_PRIVATE_NOTIFY
#define ACCACHE_PRIVATE_NOTES // kernels note what blocks choose, for ACCACHE_NOTIFY; others have nothing of that
#endif
#ifndef ACCACHE_PRIVATE_EVENT
#define ACCACHE_PRIVATE_EVENT(kind) // a test counts the "fetch" and "write_back" of lines
#endif

namespace accache_private {

struct alignas(16) quad {
    unsigned x, y, z, w;
};

// nvcc would make four stores of it.
__device__ inline void store(char *to, quad value)
{
#ifdef __CUDA_ARCH__
    asm volatile("st.v4.u32 [%0], {%1, %2, %3, %4};"
                 : : "l"(to), "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w) : "memory");
#else
    *reinterpret_cast<quad *>(to) = value;
#endif
}

// What is moved at once of a value that is aligned to so many bytes.
template <int Bytes> struct unit { typedef unsigned type; };
template <> struct unit<1> { typedef unsigned char type; };
template <> struct unit<2> { typedef unsigned short type; };

// How many words of shared memory a block needs for `slots` lines a thread; if it monitors, the last ones decide.
__host__ __device__ constexpr size_t words_needed(int arrays, int slots, int threads, int line, bool monitors = true)
{
    return size_t(slots) * (line / 4) * threads + (monitors ? arrays + 2 : 0);
}

// A hit saves three thirds of an access to memory and a miss costs one: 3 hits - misses. An array that is only read
// needs no write-back and counts twice.
__host__ __device__ inline long long ranked(long long net, bool read_only) { return read_only && net > 0 ? 2 * net : net; }

// The arrays to cache, a bit each: at most `slots`, those of the greatest benefit above 0, the first ones among equals.
template <int Arrays>
__host__ __device__ unsigned choose(const long long (&benefits)[Arrays], int slots)
{
    unsigned chosen = 0;
    for (int slot = 0; slot < slots; ++slot) {
        int best = -1;
        for (int array = 0; array < Arrays; ++array)
            if (!(chosen >> array & 1) && benefits[array] > 0 && (best < 0 || benefits[array] > benefits[best]))
                best = array;
        if (best >= 0)
            chosen |= 1u << best;
    }
    return chosen;
}

#ifdef ACCACHE_PRIVATE_NOTES
// Which arrays blocks have chosen, and how many blocks: a bit for each array, and bit 31. Where no set is 0 any more, what
// further ones choose is not told apart.
struct choices {
    static constexpr int most = 16;
    unsigned sets[most], blocks[most], others;
};

#ifdef ACCACHE_CPU // outside of the device's memory, of which kernels are judged
static choices noted_aside;
#else
static __device__ choices noted;
#endif

// Puts a set into a free place; what has been there.
__device__ ACCACHE_PRIVATE_OWN inline unsigned claimed(unsigned *place, unsigned set)
{
#ifdef __CUDA_ARCH__
    return atomicCAS(place, 0u, set);
#else
    unsigned found = 0;
    __atomic_compare_exchange_n(place, &found, set, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return found;
#endif
}

__device__ ACCACHE_PRIVATE_OWN inline void count_one(unsigned *blocks)
{
#ifdef __CUDA_ARCH__
    atomicAdd(blocks, 1u);
#else
    __atomic_fetch_add(blocks, 1u, __ATOMIC_RELAXED);
#endif
}

// Notes that a block has chosen these arrays.
__device__ ACCACHE_PRIVATE_OWN inline void note(unsigned set)
{
#ifdef ACCACHE_CPU
    if (accache_cpu_in_other_order())
        return;
    choices &all = noted_aside;
#else
    choices &all = noted;
#endif
ACCACHE_PRIVATE_ROLL
    for (int i = 0; i < choices::most; ++i) {
        const unsigned found = claimed(&all.sets[i], set);
        if (found == 0 || found == set)
            return count_one(&all.blocks[i]);
    }
    count_one(&all.others);
}

// The most frequent choice that is left, which it takes away; 0 if none is left.
inline unsigned taken_first(choices &found, unsigned &blocks)
{
    int first = 0;
    for (int i = 1; i < choices::most; ++i)
        if (found.blocks[i] > found.blocks[first] ||
            (found.blocks[i] == found.blocks[first] && found.sets[i] < found.sets[first]))
            first = i;
    blocks = found.blocks[first];
    found.blocks[first] = 0;
    return blocks > 0 ? found.sets[first] : 0;
}
#else
__device__ inline void note(unsigned) {}
#endif

// The same interface without a cache, for launches that find no shared memory for a line.
template <int Arrays>
class plain {
public:
    template <int A>
    __device__ void bind(const void *, size_t, bool) {}
    template <int A, typename T>
    __device__ T read(const T *address) { return *address; }
    template <int A, typename T>
    __device__ T write(T *address, T value) { return *address = value; }
    __device__ void loop_head() {}
    __device__ void flush() {}
    __device__ void before_atomic(const void *, size_t) {}
};

// The threads that are here together and act as one: atomics of a lane each on one word would take turns at its bank.
struct team {
#ifdef __CUDA_ARCH__
    unsigned mask;
    int first; // the lane that acts
    bool leads;
    __device__ team() : mask(__activemask()), first(__ffs(mask) - 1)
    {
        int lane;
        asm("mov.u32 %0, %%laneid;" : "=r"(lane));
        leads = lane == first;
    }
    __device__ unsigned count() const { return __popc(mask); }
    __device__ unsigned sum(unsigned value) const
    {
#if __CUDA_ARCH__ >= 800
        return __reduce_add_sync(mask, value);
#else
        unsigned total = 0;
ACCACHE_PRIVATE_ROLL
        for (unsigned rest = mask; rest; rest &= rest - 1)
            total += __shfl_sync(mask, value, __ffs(rest) - 1);
        return total;
#endif
    }
    __device__ unsigned told(unsigned value) const { return __shfl_sync(mask, value, first); } // what the first one has
#else
    bool leads = true;
    unsigned count() const { return 1; }
    unsigned sum(unsigned value) const { return value; }
    unsigned told(unsigned value) const { return value; }
#endif
};

#ifdef __CUDA_ARCH__
// Lanes with neighbouring numbers that are here together, a pair. They move both lines by an instruction a line, the
// even lane first halves and the odd one second halves, so that each instruction asks for whole sectors.
struct pair {
    unsigned mask;
    bool swaps;             // is this the odd lane of two
    const char *even, *odd; // where this lane's part of each line lies; without another lane they are parts of its own
    unsigned own, other;    // and where in shared memory its part of its own line begins, and of the other one

    // The line's first word is at `first`; half a line is 16 times `threads` bytes of shared memory.
    __device__ pair(const char *line, unsigned first, unsigned threads) : mask(__activemask())
    {
        unsigned lane;
        asm("mov.u32 %0, %%laneid;" : "=r"(lane));
        const unsigned two = mask >> (lane ^ 1) & 1, is_odd = lane & two, partner = lane ^ two;
        const char *theirs =
            reinterpret_cast<const char *>(__shfl_sync(mask, reinterpret_cast<unsigned long long>(line), partner));
        const unsigned their_first = __shfl_sync(mask, first, partner);
        const unsigned part = is_odd ? 16 : 0, other_part = two ? part : 16; // of its own line, and of the other one
        swaps = is_odd;
        even = (swaps ? theirs : line) + part;
        odd = (swaps ? line : theirs) + other_part;
        own = first + part * threads;
        other = their_first + other_part * threads;
    }
    __device__ void meet() const { __syncwarp(mask); }
};
#endif

// The cache of one thread, which monitors its first Threshold calls. Apart promises that no byte that
// is written is reached through two of the arrays. Of Wide arrays, a bit each, a line is two of 16 bytes side by side.
template <int Arrays, int Line = 16, bool Apart = false, int Threshold = ACCACHE_PRIVATE_THRESHOLD, unsigned Wide = 0>
class cache {
    static_assert(Line == 16 || Line == 32, "a line has 16 or 32 bytes");
    static_assert(Arrays >= 1 && Arrays <= 31, "a cache has 1 to 31 arrays");
    static_assert(!Wide || (Line == 16 && !Threshold), "lines of two sizes are for arrays that are not monitored");

    struct state {
        const char *first;    // where the array begins; without monitoring, the first line that lies in it
        uint64_t bytes;       // from there to its end, or that of its last line; lines beyond bypass the cache
        const char *line;     // the line held, an address that is a multiple of its size; without a slot the one simulated
        bool complete;        // whether all of its bytes are there, or only dirty ones
        unsigned dirty;       // a bit for each byte that memory has not got yet
        unsigned hits, calls; // counted while monitoring
        int slot;             // the line's place in shared memory, or -1; without monitoring it stays
        int size;             // the line's bytes
        bool read_only;
    };

    static constexpr int voted = 0x7fffffff;
    static constexpr bool may_be_sector = Line == 32 || Wide;

    state arrays[Arrays];
#ifdef __CUDA_ARCH__
    unsigned own; // where this thread's first word lies in shared memory
#else
    unsigned *own;
#endif
    unsigned *decision;
    int threads, slots;
    int total; // calls that were monitored, up to the vote
    bool monitoring;

public:
    // All threads of a block make theirs together, before a barrier; `shared` has words_needed() words.
    // If it monitors, the last Arrays + 2 words must be 0 when the first thread calls loop_head().
    __device__ cache(unsigned *shared, int slots, int thread, int threads)
        : decision(shared + size_t(slots) * (Line / 4) * threads), threads(threads), slots(slots), total(0),
          monitoring(Threshold > 0)
    {
#ifdef __CUDA_ARCH__ // by an instruction that nvcc does not take apart: else it adds both up anew for each access
        asm("add.u32 %0, %1, %2;" : "=r"(own) : "r"(unsigned(__cvta_generic_to_shared(shared))), "r"(4 * thread));
#else
        own = shared + thread;
#endif
ACCACHE_PRIVATE_UNROLL
        for (int a = 0; a < Arrays; ++a)
            arrays[a] = state{nullptr, 0, nullptr, true, 0, 0, 0, !Threshold || a < slots ? slot_of(a) : -1, size_of(a), false};
    }

    // Says where array A lies. Accesses outside of it bypass the cache.
    template <int A>
    __device__ ACCACHE_PRIVATE_OWN void bind(const void *base, size_t bytes, bool read_only)
    {
        arrays[A].first = static_cast<const char *>(base);
        arrays[A].bytes = bytes;
        arrays[A].read_only = read_only;
        if (Threshold) // registers matter more
            return;
        const uintptr_t first = reinterpret_cast<uintptr_t>(base), size = size_of(A);
        const uintptr_t begin = (first + size - 1) & ~(size - 1), end = (first + bytes) & ~(size - 1);
        const bool has_slot = slot_of(A) + size_of(A) / Line <= slots;
        arrays[A].first = reinterpret_cast<const char *>(begin);
        arrays[A].bytes = has_slot && begin < end ? end - begin : 0;
    }

    // Caches exactly these arrays from now on, a bit each; monitoring is over.
    __device__ void decide(unsigned chosen)
    {
        unsigned taken = 0;
ACCACHE_PRIVATE_UNROLL
        for (int a = 0; a < Arrays; ++a)
            if (chosen >> a & 1) {
                taken |= arrays[a].slot >= 0 ? 1u << arrays[a].slot : 0u;
            } else {
                release(arrays[a]);
                arrays[a].slot = -1;
            }
        int slot = 0;
ACCACHE_PRIVATE_UNROLL
        for (int a = 0; a < Arrays; ++a) {
            if (!(chosen >> a & 1) || arrays[a].slot >= 0)
                continue;
            while (slot < slots && taken >> slot & 1)
                ++slot;
            arrays[a].slot = slot < slots ? slot++ : -1;
            forget(arrays[a]); // a line that was simulated
        }
        monitoring = false;
    }

    // Whether the block has not decided yet.
    __device__ ACCACHE_PRIVATE_OWN bool monitors() const { return monitoring; }

    // At the head of the loop: once enough threads have seen enough, all of the block switch to the same lines.
    __device__ void loop_head()
    {
        if (!Threshold || !monitoring || total < Threshold)
            return;
        if (total != voted)
            vote();
        const team here;
        const unsigned chosen = here.told(here.leads ? atomicAdd(&decision[0], 0u) : 0u);
        if (chosen)
            decide(chosen & 0x7fffffffu);
    }

    // For a loop in two copies, at the head of the first, which is left then; the head of the second, which goes on there,
    // tells the compiler that it need not monitor.
    __device__ bool is_decided()
    {
        loop_head();
        return !monitoring;
    }
    __device__ ACCACHE_PRIVATE_OWN void end_monitoring() { monitoring = false; }

    template <int A, typename T>
    __device__ T read(const T *address)
    {
        static_assert(sizeof(T) <= 16 && __is_trivially_copyable(T), "a value has 1 to 16 bytes and copies as they do");
        const char *from = reinterpret_cast<const char *>(address);
        if (Threshold && monitoring)
            observe<A>(from);
        if (!Apart)
            settle<A>(from, sizeof(T), false);
        T value;
        alignas(16) unsigned char bytes[sizeof(T)];
        if (__builtin_expect(hit<A, T>(from, true), true)) {
            load<A, sizeof(T), alignof(T)>(from, bytes);
        } else if (sizeof(T) == alignof(T)) {
            if (!readies<A, sizeof(T)>(from))
                return *aside(address);
            load<A, sizeof(T), alignof(T)>(from, bytes);
        } else { // its parts may lie in two lines
ACCACHE_PRIVATE_UNROLL
            for (int at = 0; at < int(sizeof(T)); at += alignof(T))
                if (readies<A, alignof(T)>(from + at))
                    load<A, alignof(T), alignof(T)>(from + at, bytes + at);
                else
                    move<alignof(T)>(from + at, bytes + at);
        }
        ACCACHE_PRIVATE_COPY(&value, bytes, sizeof(T));
        return value;
    }

    template <int A, typename T>
    __device__ T write(T *address, T value)
    {
        static_assert(sizeof(T) <= 16 && __is_trivially_copyable(T), "a value has 1 to 16 bytes and copies as they do");
        char *to = reinterpret_cast<char *>(address);
        if (Threshold && monitoring)
            observe<A>(to);
        if (!Apart)
            settle<A>(to, sizeof(T), true);
        alignas(16) unsigned char bytes[sizeof(T)];
        ACCACHE_PRIVATE_COPY(bytes, &value, sizeof(T));
        if (__builtin_expect(hit<A, T>(to, false), true)) {
            store<A, sizeof(T), alignof(T)>(to, bytes);
        } else if (sizeof(T) == alignof(T)) {
            if (takes<A>(to))
                store<A, sizeof(T), alignof(T)>(to, bytes);
            else
                *aside(address) = value;
        } else {
ACCACHE_PRIVATE_UNROLL
            for (int at = 0; at < int(sizeof(T)); at += alignof(T))
                if (takes<A>(to + at))
                    store<A, alignof(T), alignof(T)>(to + at, bytes + at);
                else
                    move<alignof(T)>(bytes + at, to + at);
        }
        return value;
    }

    // Writes back and forgets all lines: before fences, barriers, calls of functions that may reach the arrays, returns.
    __device__ void flush()
    {
ACCACHE_PRIVATE_UNROLL
        for (int a = 0; a < Arrays; ++a)
            release(arrays[a]);
    }

    // Writes back and forgets the lines of these bytes, which an atomic function is about to reach.
    __device__ void before_atomic(const void *address, size_t bytes)
    {
        const char *first = static_cast<const char *>(address);
ACCACHE_PRIVATE_UNROLL
        for (int a = 0; a < Arrays; ++a)
            if (overlaps(arrays[a], first, bytes))
                release(arrays[a]);
    }

private:
    // For an access that bypasses the cache. Else nvcc computes each address twice, also as one of global memory; that is
    // worth it where monitoring may leave an array without a line.
    template <typename T>
    __device__ ACCACHE_PRIVATE_OWN static T *aside(T *address)
    {
#ifdef __CUDA_ARCH__
        if (!Threshold)
            asm("" : "+l"(address));
#endif
        return address;
    }

    __host__ __device__ static constexpr int size_of(int a) { return Wide >> a & 1 ? 2 * Line : Line; }

    // Where the line of an array lies without monitoring: behind those of the arrays before it.
    __host__ __device__ static constexpr int slot_of(int a)
    {
        int slots = a;
        for (int before = 0; before < a; ++before)
            slots += Wide >> before & 1;
        return slots;
    }

    template <int A>
    __device__ ACCACHE_PRIVATE_OWN static const char *line_of(const char *address)
    {
        return reinterpret_cast<const char *>(reinterpret_cast<uintptr_t>(address) & ~uintptr_t(size_of(A) - 1));
    }

    __device__ ACCACHE_PRIVATE_OWN static bool overlaps(const state &array, const char *first, size_t bytes)
    {
        return array.slot >= 0 && array.line && first < array.line + array.size && array.line < first + bytes;
    }

    // How far an address lies behind the beginning of the line that is there. One difference serves twice: it tells
    // whether the line holds the address, and where.
    template <int A>
    __device__ ACCACHE_PRIVATE_OWN uintptr_t within(const char *address) const
    {
        return reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(arrays[A].line);
    }

    // Whether an address lies in the line that is there.
    template <int A>
    __device__ ACCACHE_PRIVATE_OWN bool holds(const char *address) const
    {
        return within<A>(address) < uintptr_t(size_of(A));
    }

    template <int A, typename T>
    __device__ ACCACHE_PRIVATE_OWN static bool in_a_line(const char *first)
    {
        return sizeof(T) == alignof(T) || line_of<A>(first) == line_of<A>(first + sizeof(T) - 1);
    }

    // Whether a value lies in the line that is there, and, if it is to be read, all of the line is known. Where it is asked,
    // nvcc is told that most do.
    template <int A, typename T>
    __device__ ACCACHE_PRIVATE_OWN bool hit(const char *first, bool reads) const
    {
        return !(Threshold && monitoring) && holds<A>(first) && (!reads || arrays[A].complete) && in_a_line<A, T>(first);
    }

    // Whether the array has a place for a line, and all of it lies in the array.
    template <int A>
    __device__ ACCACHE_PRIVATE_OWN bool may_hold(const char *line) const
    {
        const uint64_t at = line - arrays[A].first;
        return at < arrays[A].bytes && (!Threshold || Line <= arrays[A].bytes - at);
    }

    // Has the line of these bytes hold them, by a fetch if need be; false if they have no line.
    template <int A, int Size>
    __device__ bool readies(const char *address)
    {
        state &array = arrays[A];
        const char *line = line_of<A>(address);
        if (array.slot < 0)
            return false;
        if (holds<A>(address)) {
            if (!array.complete && ~array.dirty & mask_of<Size>(within<A>(address)))
                rest_fetch(array);
            return true;
        }
        if (!may_hold<A>(line))
            return false;
        release(array);
        array.line = line;
        line_fetch(array);
        return true;
    }

    // Has the line of an address take what is written there; false if it has none.
    template <int A>
    __device__ bool takes(const char *address)
    {
        state &array = arrays[A];
        const char *line = line_of<A>(address);
        if (array.slot < 0)
            return false;
        if (holds<A>(address))
            return true;
        if (!may_hold<A>(line))
            return false;
        release(array);
        array.line = line;
        array.complete = false;
        return true;
    }

    __device__ ACCACHE_PRIVATE_OWN char *place(int slot, unsigned at)
    {
        return at_bytes(slot, (at & ~3u) * threads + at % 4);
    }

    __device__ ACCACHE_PRIVATE_OWN unsigned &word(int slot, int w) { return *reinterpret_cast<unsigned *>(at_bytes(slot, 4 * w * threads)); }

    // So many bytes behind the first one of a line; a line's words lie a block's width apart.
    __device__ ACCACHE_PRIVATE_OWN char *at_bytes(int slot, unsigned bytes)
    {
#ifdef __CUDA_ARCH__
        return static_cast<char *>(__cvta_shared_to_generic(own + slot * Line * threads + bytes));
#else
        return reinterpret_cast<char *>(own) + slot * Line * threads + bytes;
#endif
    }

    template <int A>
    __device__ ACCACHE_PRIVATE_OWN void observe(const char *address)
    {
        ++arrays[A].calls;
        if (total != voted)
            ++total;
        if (arrays[A].line == line_of<A>(address))
            ++arrays[A].hits;
        else if (arrays[A].slot < 0)
            arrays[A].line = line_of<A>(address);
    }

    // The block decides by the first threads that have counted enough, as many as a warp has: none waits for another.
    __device__ void vote()
    {
        const team here;
ACCACHE_PRIVATE_UNROLL
        for (int a = 0; a < Arrays; ++a) {
            const unsigned net = here.sum(unsigned(4 * arrays[a].hits - arrays[a].calls));
            if (here.leads && net)
                atomicAdd(&decision[2 + a], net);
        }
        total = voted;
        if (!here.leads)
            return;
        __threadfence_block();
        const unsigned quorum = threads < 32 ? threads : 32, voices = here.count();
        const unsigned before = atomicAdd(&decision[1], voices);
        if (before >= quorum || before + voices < quorum)
            return;
        __threadfence_block();
        long long benefits[Arrays];
ACCACHE_PRIVATE_UNROLL
        for (int a = 0; a < Arrays; ++a)
            benefits[a] = ranked(int(atomicAdd(&decision[2 + a], 0u)), arrays[a].read_only);
        const unsigned chosen = 0x80000000u | choose(benefits, slots);
        note(chosen);
        atomicExch(&decision[0], chosen);
    }

    // Arrays may overlap: other lines with these bytes are written back, and forgotten where the bytes change.
    template <int A>
    __device__ void settle(const char *first, size_t bytes, bool changes)
    {
        const char *begin = arrays[A].slot >= 0 ? line_of<A>(first) : first;
        size_t length = arrays[A].slot >= 0 ? line_of<A>(first + bytes - 1) + size_of(A) - begin : bytes;
ACCACHE_PRIVATE_UNROLL
        for (int a = 0; a < Arrays; ++a)
            if (a != A && overlaps(arrays[a], begin, length)) {
                line_write_back(arrays[a]);
                if (changes)
                    forget(arrays[a]);
            }
    }

    __device__ void release(state &array)
    {
        if (array.slot >= 0)
            line_write_back(array);
        forget(array);
    }

    __device__ ACCACHE_PRIVATE_OWN static void forget(state &array)
    {
        array.line = nullptr;
    }

    // A sector or sixteen bytes at once where all were written, words where whole ones were, else bytes.
    __device__ void line_write_back(state &array)
    {
        if (!array.dirty)
            return;
        ACCACHE_PRIVATE_EVENT(write_back);
        char *to = const_cast<char *>(array.line);
        const unsigned dirty = array.dirty;
        const int slot = array.slot, parts = array.size / 16;
#ifdef __CUDA_ARCH__
        if (may_be_sector && array.size == 32 && dirty == ~0u) {
            sector_write_back(array);
            array.dirty = 0;
            return;
        }
#endif
ACCACHE_PRIVATE_UNROLL
        for (int part = 0; part < parts; ++part) {
            unsigned mask = dirty >> 16 * part & 0xffffu;
            int w = 4 * part;
            if (mask == 0xffffu) {
                accache_private::store(to + 16 * part, quad_of(&word(slot, w)));
                continue;
            }
ACCACHE_PRIVATE_ROLL // a part is rare: registers matter more
            for (int i = 0; i < 4; ++i)
                if (mask >> 4 * i & 0xfu)
                    word_write_back(to + 16 * part + 4 * i, mask >> 4 * i & 0xfu, &word(slot, w + i));
        }
        array.dirty = 0;
    }

    __device__ static void word_write_back(char *to, unsigned mask, const unsigned *from)
    {
        if (mask == 0xfu) {
            *reinterpret_cast<unsigned *>(to) = *from;
            return;
        }
ACCACHE_PRIVATE_ROLL
        for (int b = 0; b < 4; ++b)
            if (mask >> b & 1)
                to[b] = reinterpret_cast<const char *>(from)[b];
    }

    __device__ quad quad_of(const unsigned *first) const
    {
        const int step = threads;
        return quad{first[0], first[step], first[2 * step], first[3 * step]};
    }

    __device__ void put(unsigned *first, quad value) const
    {
        first[0] = value.x;
        first[threads] = value.y;
        first[2 * threads] = value.z;
        first[3 * threads] = value.w;
    }

#ifdef __CUDA_ARCH__
    __device__ static quad chosen(bool first, quad one, quad other)
    {
        return quad{first ? one.x : other.x, first ? one.y : other.y, first ? one.z : other.z, first ? one.w : other.w};
    }

    __device__ static unsigned *word_at(unsigned address) { return static_cast<unsigned *>(__cvta_shared_to_generic(address)); }

    // Each lane moves the part of its own line first between words and registers: then banks differ.
    __device__ void sector_write_back(state &array)
    {
        const pair pair(array.line, own + array.slot * Line * threads, threads);
        pair.meet(); // each has written its line
        const quad own = quad_of(word_at(pair.own)), other = quad_of(word_at(pair.other));
        accache_private::store(const_cast<char *>(pair.even), chosen(pair.swaps, other, own));
        accache_private::store(const_cast<char *>(pair.odd), chosen(pair.swaps, own, other));
        pair.meet(); // each may change its line
    }

    __device__ void sector_fetch(state &array)
    {
        const pair pair(array.line, own + array.slot * Line * threads, threads);
        const quad even = *reinterpret_cast<const quad *>(pair.even), odd = *reinterpret_cast<const quad *>(pair.odd);
        put(word_at(pair.own), chosen(pair.swaps, odd, even));
        put(word_at(pair.other), chosen(pair.swaps, even, odd));
        pair.meet();
    }
#endif

    __device__ void line_fetch(state &array)
    {
        ACCACHE_PRIVATE_EVENT(fetch);
#ifdef __CUDA_ARCH__
        if (may_be_sector && array.size == 32)
            sector_fetch(array);
        else
            put(&word(array.slot, 0), *reinterpret_cast<const quad *>(array.line));
#else // word by word, and no call in between: then the checker judges of it what the thread uses
        const unsigned *from = reinterpret_cast<const unsigned *>(array.line);
        unsigned *to = &word(array.slot, 0);
        const int count = array.size / 4, step = threads;
        for (int w = 0; w < count; ++w)
            to[w * step] = from[w];
#endif
        array.complete = true;
    }

    // What the thread has written stays: memory is older. Other threads may write neighbouring bytes meanwhile.
    __device__ void rest_fetch(state &array)
    {
        ACCACHE_PRIVATE_EVENT(fetch);
ACCACHE_PRIVATE_ROLL
        for (int b = 0; b < array.size; ++b)
            if (!(array.dirty >> b & 1)) {
                char *to = place(array.slot, b);
                *to = array.line[b];
            }
        array.complete = true;
    }

    // A bit for each of Size bytes of a line.
    template <int Size>
    __device__ ACCACHE_PRIVATE_OWN static unsigned mask_of(unsigned at) { return ~0u >> (32 - Size) << at; }

    // The place of Size bytes, which are aligned to as many, in the line of array A. A word lies a block's width behind the
    // one before it, and its bytes side by side.
    template <int A, int Size>
    __device__ ACCACHE_PRIVATE_OWN char *place_of(unsigned at)
    {
        return at_bytes(arrays[A].slot, Size >= 4 ? at * threads : at * threads - at % 4 * (threads - 1));
    }

    template <int Size>
    __device__ static void move(const void *from, void *to)
    {
        typedef typename unit<Size>::type type;
        for (int i = 0; i < Size; i += sizeof(type)) {
            const type value = reinterpret_cast<const type *>(from)[i / sizeof(type)];
            reinterpret_cast<type *>(to)[i / sizeof(type)] = value;
        }
    }

    template <int A, typename type>
    __device__ ACCACHE_PRIVATE_PART void load_unit(unsigned at, unsigned char *bytes)
    {
        const type value = *reinterpret_cast<const type *>(place_of<A, sizeof(type)>(at));
        ACCACHE_PRIVATE_COPY(bytes, &value, sizeof value);
    }

    template <int A, typename type>
    __device__ ACCACHE_PRIVATE_PART void store_unit(unsigned at, const unsigned char *bytes)
    {
        type value;
        ACCACHE_PRIVATE_COPY(&value, bytes, sizeof value);
        *reinterpret_cast<type *>(place_of<A, sizeof(type)>(at)) = value;
    }

    // Size bytes of a line in units of Align, which they are aligned to.
    template <int A, int Size, int Align>
    __device__ ACCACHE_PRIVATE_PART void load(const char *address, unsigned char *bytes)
    {
        typedef typename unit<Align>::type type;
        const unsigned at = within<A>(address);
#ifndef __CUDA_ARCH__ // without a loop a compiler for CPUs, too, keeps `bytes` in registers, and no checker follows them
        if (Size == sizeof(type))
            return load_unit<A, type>(at, bytes);
#endif
ACCACHE_PRIVATE_UNROLL
        for (int i = 0; i < Size; i += sizeof(type))
            load_unit<A, type>(at + i, bytes + i);
    }

    template <int A, int Size, int Align>
    __device__ ACCACHE_PRIVATE_PART void store(const char *address, const unsigned char *bytes)
    {
        typedef typename unit<Align>::type type;
        const unsigned at = within<A>(address);
#ifndef __CUDA_ARCH__
        if (Size == sizeof(type)) {
            store_unit<A, type>(at, bytes);
            return owe<A, Size>(at);
        }
#endif
ACCACHE_PRIVATE_UNROLL
        for (int i = 0; i < Size; i += sizeof(type))
            store_unit<A, type>(at + i, bytes + i);
        owe<A, Size>(at);
    }

    // Notes that memory has not got these bytes yet.
    template <int A, int Size>
    __device__ ACCACHE_PRIVATE_OWN void owe(unsigned at) { arrays[A].dirty |= mask_of<Size>(at); }
};

// An element of array A, which reads and writes through the cache as the element itself would; it is not to be copied
// into a variable of type auto.
template <class Cache, int A, typename T>
class reference {
    Cache *cache;
    T *address;

public:
    __device__ reference(Cache *cache, T *address) : cache(cache), address(address) {}
    __device__ operator T() const { return cache->template read<A>(static_cast<const T *>(address)); }
    __device__ T operator=(T value) const { return cache->template write<A>(address, value); }
    __device__ T operator=(const reference &other) const { return *this = T(other); }
    __device__ T operator++() const { return *this = T(T(*this) + 1); }
    __device__ T operator--() const { return *this = T(T(*this) - 1); }
    __device__ T operator++(int) const
    {
        const T before = *this;
        *this = T(before + 1);
        return before;
    }
    __device__ T operator--(int) const
    {
        const T before = *this;
        *this = T(before - 1);
        return before;
    }
#define ACCACHE_PRIVATE_ASSIGN(op) \
    template <typename V> __device__ T operator op##=(V value) const { return *this = T(T(*this) op value); }
    ACCACHE_PRIVATE_ASSIGN(+)
    ACCACHE_PRIVATE_ASSIGN(-)
    ACCACHE_PRIVATE_ASSIGN(*)
    ACCACHE_PRIVATE_ASSIGN(/)
    ACCACHE_PRIVATE_ASSIGN(%)
    ACCACHE_PRIVATE_ASSIGN(&)
    ACCACHE_PRIVATE_ASSIGN(|)
    ACCACHE_PRIVATE_ASSIGN(^)
    ACCACHE_PRIVATE_ASSIGN(<<)
    ACCACHE_PRIVATE_ASSIGN(>>)
#undef ACCACHE_PRIVATE_ASSIGN
};

// What [] and * of a pointer give: elements that are only read are values.
template <class Cache, int A, typename T>
struct access {
    typedef reference<Cache, A, T> type;
    __device__ static type at(Cache *cache, T *address) { return type(cache, address); }
};
template <class Cache, int A, typename T>
struct access<Cache, A, const T> {
    typedef T type;
    __device__ static type at(Cache *cache, const T *address) { return cache->template read<A>(address); }
};

// A pointer into array A whose elements go through a cache. It moves as a pointer does; bind() says where the array lies.
template <class Cache, int A, typename T>
class pointer {
    template <typename U> struct plain_type { typedef U type; };
    template <typename U> struct plain_type<const U> { typedef U type; };
    template <typename U> struct plain_type<volatile U> {}; // volatile elements are not for a cache
    template <typename U, typename V> struct same {};
    template <typename U> struct same<U, U> { typedef U type; };
    template <class, int, typename> friend class pointer;
    typedef typename plain_type<T>::type value;
    typedef access<Cache, A, T> element;

    struct copy { // what -> reads a member of
        value whole;
        __device__ const value *operator->() const { return &whole; }
    };

    Cache *cache;
    T *address;

public:
    __device__ pointer(Cache &cache, T *address) : cache(&cache), address(address) {}
    template <typename U, typename = typename same<const U, T>::type> // to const elements
    __device__ pointer(const pointer<Cache, A, U> &other) : cache(other.cache), address(other.address) {}
    __device__ typename element::type operator[](ptrdiff_t index) const { return element::at(cache, address + index); }
    __device__ typename element::type operator*() const { return element::at(cache, address); }
    __device__ value read(ptrdiff_t index) const { return cache->template read<A>(const_cast<const T *>(address + index)); }
    __device__ copy operator->() const { return copy{read(0)}; }
    __device__ pointer operator+(ptrdiff_t distance) const { return pointer(*cache, address + distance); }
    __device__ pointer operator-(ptrdiff_t distance) const { return pointer(*cache, address - distance); }
    __device__ friend pointer operator+(ptrdiff_t distance, const pointer &from) { return from + distance; }
    template <typename U> __device__ ptrdiff_t operator-(const pointer<Cache, A, U> &other) const { return address - other.get(); }
    __device__ pointer &operator+=(ptrdiff_t distance)
    {
        address += distance;
        return *this;
    }
    __device__ pointer &operator-=(ptrdiff_t distance) { return *this += -distance; }
    __device__ pointer &operator++() { return *this += 1; }
    __device__ pointer &operator--() { return *this += -1; }
    __device__ pointer operator++(int)
    {
        const pointer before = *this;
        ++address;
        return before;
    }
    __device__ pointer operator--(int)
    {
        const pointer before = *this;
        --address;
        return before;
    }
#define ACCACHE_PRIVATE_COMPARE(op) \
    template <typename U> __device__ bool operator op(const pointer<Cache, A, U> &other) const { return address op other.get(); }
    ACCACHE_PRIVATE_COMPARE(==)
    ACCACHE_PRIVATE_COMPARE(!=)
    ACCACHE_PRIVATE_COMPARE(<)
    ACCACHE_PRIVATE_COMPARE(>)
    ACCACHE_PRIVATE_COMPARE(<=)
    ACCACHE_PRIVATE_COMPARE(>=)
#undef ACCACHE_PRIVATE_COMPARE
    __device__ bool operator==(decltype(nullptr)) const { return !address; }
    __device__ bool operator!=(decltype(nullptr)) const { return address; }
    __device__ explicit operator bool() const { return address; }
    __device__ T *get() const { return address; } // what is reached by it needs flush() before
};

#if defined __CUDACC__ || defined ACCACHE_PRIVATE_WITH_HOST
// The allocation that a pointer leads into; no bytes, so that nothing is cached, if the driver does not know it.
struct extent {
    const void *first;
    size_t bytes;
};

inline extent extent_of(const void *pointer)
{
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult state;
#if CUDART_VERSION >= 12050
    cudaGetDriverEntryPointByVersion("cuMemGetAddressRange", &entry, 12000, cudaEnableDefault, &state);
#else
    cudaGetDriverEntryPoint("cuMemGetAddressRange", &entry, cudaEnableDefault, &state);
#endif
    unsigned long long start = 0;
    extent found = {nullptr, 0};
    typedef int (*range)(unsigned long long *, size_t *, unsigned long long);
    if (entry == nullptr ||
        reinterpret_cast<range>(entry)(&start, &found.bytes, reinterpret_cast<unsigned long long>(pointer)) != 0)
        return extent{nullptr, 0};
    found.first = reinterpret_cast<const void *>(start);
    return found;
}

inline int threads_of(dim3 block) { return int(block.x * block.y * block.z); }

// Where lines begin behind so many bytes of dynamic shared memory of a kernel's own, wherever its arrays are aligned.
inline size_t bytes_before(size_t dynamic) { return dynamic ? (dynamic + 31) / 16 * 16 : 0; }

// How many lines each thread of a block can have, at most one an array, without fewer blocks on a multiprocessor than
// the kernel has without them; `dynamic` bytes of shared memory are the kernel's own. 0: launch a version without.
template <class Kernel>
int lines_per_thread(Kernel *kernel, int threads, int arrays, int line, size_t dynamic = 0)
{
    int device = 0, blocks = 0, per_sm = 0, reserve = 0, most = 0;
    cudaFuncAttributes own;
    if (cudaGetDevice(&device) != cudaSuccess || cudaFuncGetAttributes(&own, kernel) != cudaSuccess ||
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, dynamic) != cudaSuccess || blocks < 1 ||
        cudaDeviceGetAttribute(&per_sm, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&reserve, cudaDevAttrReservedSharedMemoryPerBlock, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlock, device) != cudaSuccess)
        return 0;
    long long used = (long long)(own.sharedSizeBytes + dynamic) + 4 * (long long)words_needed(arrays, 0, threads, line);
    long long resident = per_sm / blocks - reserve - used, launchable = most - used;
    long long lines = (resident < launchable ? resident : launchable) / threads / line;
    return lines < 0 ? 0 : lines > arrays ? arrays : int(lines);
}

// The same, but 0 where L1 holds what all threads are at: `streams` lines of 128 bytes for each thread of the plain
// kernel that this grid lets a multiprocessor hold. Where these just fill it, its sets may do so unevenly: then lines
// pay that cannot lose, sectors of each array.
template <class Kernel, class Plain>
int lines_that_pay(Kernel *kernel, Plain *without, int streams, dim3 grid, int threads, int arrays, int line,
                   size_t dynamic = 0)
{
#ifdef ACCACHE_CPU // a page shows what lines do, whether or not they pay for so few threads
    if (getenv("ACCACHE_CPU_LINES") != nullptr)
        return lines_per_thread(kernel, threads, arrays, line, dynamic);
#endif
    int device = 0, blocks = 0, per_sm = 0, reserve = 0, sms = 0;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, without, threads, dynamic) != cudaSuccess ||
        cudaDeviceGetAttribute(&reserve, cudaDevAttrReservedSharedMemoryPerBlock, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&per_sm, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device) != cudaSuccess || sms < 1)
        return 0;
    const long long all = ((long long)grid.x * grid.y * grid.z + sms - 1) / sms;
    // L1 and shared memory are one memory; shared memory cannot have all of it, since sm_80 less of it is left.
    const long long l1 = per_sm + (reserve ? 28 : 32) * 1024;
    const long long used = (all < blocks ? all : blocks) * threads * streams * 128;
    const int lines = used >= l1 ? lines_per_thread(kernel, threads, arrays, line, dynamic) : 0;
    return used > l1 || (line == 32 && streams == arrays && lines == arrays) ? lines : 0;
}

// ACCACHE_NOTIFY=1 in the environment: what launches and their blocks decide, on stderr.
inline bool is_told()
{
    const char *const setting = getenv("ACCACHE_NOTIFY");
    return setting != nullptr && atoi(setting) >= 1;
}

// The names of arrays, those of which `set` has a bit.
template <int Arrays>
void tell_names(const char *const (&names)[Arrays], unsigned set)
{
    const char *between = " ";
    for (int a = 0; a < Arrays; ++a)
        if (set >> a & 1) {
            fprintf(stderr, "%s%s", between, names[a]);
            between = ", ";
        }
}

// What a launch decided of lines for these arrays, before it. `calls` of a thread are monitored; lines_that_pay() was
// asked if it `asks` for that.
template <int Arrays>
void tell(const char *kernel, const char *const (&names)[Arrays], int lines, int line, unsigned wide, int calls, bool asks)
{
    if (!is_told())
        return;
    int slots = 0;
    unsigned having = 0; // lines, where nothing is monitored
    for (int a = 0; a < Arrays; ++a) {
        slots += 1 + (wide >> a & 1);
        having |= unsigned(slots <= lines) << a;
    }
    fprintf(stderr, "accache: lines %s: ", kernel);
    if (lines == 0)
        fputs(asks ? "none, L1 holds what the threads are at, or has no room for lines" : "none, there is no room for one", stderr);
    else
        fprintf(stderr, "room for %d of %d, of %d bytes a thread", lines, slots, line);
    if (lines > 0 && calls > 0) {
        fprintf(stderr, "; blocks choose after %d accesses", calls);
#ifndef ACCACHE_PRIVATE_NOTES
        fputs(", and tell if compiled with -DACCACHE_PRIVATE_NOTIFY", stderr);
#endif
    } else if (lines > 0 && lines < slots) {
        fputs(", for", stderr);
        tell_names(names, having);
    }
    fputc('\n', stderr);
}

#ifdef ACCACHE_PRIVATE_NOTES
#ifdef ACCACHE_CPU // launches are over when they return
inline void begin_noting(cudaStream_t) { noted_aside = choices(); }

inline bool ends_noting(choices &found, cudaStream_t)
{
    found = noted_aside;
    return true;
}
#else
// Whether what the stream is given is executed, and not recorded for later.
inline bool is_executed(cudaStream_t stream)
{
    cudaStreamCaptureStatus state;
    return cudaStreamIsCapturing(stream, &state) == cudaSuccess && state == cudaStreamCaptureStatusNone;
}

inline void begin_noting(cudaStream_t stream)
{
    static const choices none = {};
    if (is_executed(stream))
        cudaMemcpyToSymbolAsync(noted, &none, sizeof none, 0, cudaMemcpyHostToDevice, stream);
}

inline bool ends_noting(choices &found, cudaStream_t stream)
{
    return is_executed(stream) &&
        cudaMemcpyFromSymbolAsync(&found, noted, sizeof found, 0, cudaMemcpyDeviceToHost, stream) == cudaSuccess &&
        cudaStreamSynchronize(stream) == cudaSuccess;
}
#endif
#endif

// Around a launch whose blocks monitor: what they chose. It waits for the launch if it tells of it; of two launches at a
// time the counts mix.
inline void note_choices(cudaStream_t stream = nullptr)
{
#ifdef ACCACHE_PRIVATE_NOTES
    if (is_told())
        begin_noting(stream);
#else
    (void)stream;
#endif
}

template <int Arrays>
void tell_choices(const char *kernel, const char *const (&names)[Arrays], dim3 grid, cudaStream_t stream = nullptr)
{
#ifdef ACCACHE_PRIVATE_NOTES
    choices found;
    if (!is_told() || !ends_noting(found, stream))
        return;
    const long long all = (long long)grid.x * grid.y * grid.z;
    long long left = all - found.others;
    fprintf(stderr, "accache: lines %s: of %lld blocks", kernel, all);
    unsigned blocks;
    const char *between = "";
    for (unsigned set; (set = taken_first(found, blocks)) != 0; left -= blocks, between = ";") {
        fprintf(stderr, "%s %u chose", between, blocks);
        if (set == 0x80000000u)
            fputs(" none", stderr);
        tell_names(names, set);
    }
    if (found.others > 0)
        fprintf(stderr, "; %u chose other arrays", found.others);
    if (left > 0)
        fprintf(stderr, "%s %lld ended before that", between, left);
    fputc('\n', stderr);
#else
    (void)kernel, (void)names, (void)grid, (void)stream;
#endif
}
#endif

} // namespace accache_private
#endif
