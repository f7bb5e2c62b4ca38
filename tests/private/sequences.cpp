// Random sequences of accesses by two threads, through accache_private.cuh and in plain memory: arguments N and a seed.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <random>
#include <vector>

#include "on_host.h"

struct triple { short x, y, z; };
struct alignas(16) wide { long long x, y; };

static std::mt19937 generator;
static int below(int n) { return int(generator() % unsigned(n)); }

// What lines do, told by bytes: independent of the header's masks.
struct oracle_line {
    long number = -1;
    std::vector<bool> valid, dirty;
    bool fetched = false;
    bool any(const std::vector<bool> &bits) const { return std::count(bits.begin(), bits.end(), true) > 0; }
};

static const int arrays = 3, most = 800;

struct trial {
    int bytes, cut, first[arrays], last[arrays];
    char *memory;
    char plain[most];
};

[[noreturn]] static void wrong(const char *what, long sequence)
{
    std::printf("sequence %ld: %s\n", sequence, what);
    std::exit(1);
}

template <int Line, unsigned Wide, bool Monitors>
struct oracle {
    oracle_line lines[arrays];
    unsigned cached = 0; // the arrays that have lines, a bit each
    long counted[2] = {0, 0};

    static int length(int a) { return Wide & 1u << a ? 32 : Line; }
    void drop(oracle_line &line)
    {
        counted[write_back] += line.number >= 0 && line.any(line.dirty);
        line.number = -1;
    }
    void piece(const trial &t, int a, size_t at, int size, bool writes)
    {
        oracle_line &line = lines[a];
        const int length = this->length(a);
        long number = long((size_t(t.memory) + at) / length), begin = number * length - long(size_t(t.memory));
        if (begin < t.first[a] || begin + length > t.last[a]) // lines at the ends are left to memory
            return;
        int offset = int((size_t(t.memory) + at) % length);
        if (line.number != number) {
            drop(line);
            line.number = number;
            line.fetched = false;
            line.valid.assign(length, false);
            line.dirty.assign(length, false);
        }
        bool hit = true;
        for (int b = 0; b < size; ++b)
            hit = hit && line.valid[offset + b];
        if (writes)
            for (int b = 0; b < size; ++b)
                line.valid[offset + b] = line.dirty[offset + b] = true;
        else if (!hit) {
            ++counted[fetch];
            line.fetched = true;
            line.valid.assign(length, true);
        }
    }
    // An access where arrays may overlap: memory gets the lines of others that share bytes with its own lines, or with it.
    void settle(const trial &t, int a, size_t at, int size, bool writes)
    {
        const size_t unit = !Monitors || cached >> a & 1 ? length(a) : 1; // all have places, if nothing is monitored
        const size_t first = size_t(t.memory) + at;
        const size_t begin = first / unit * unit, end = (first + size - 1) / unit * unit + unit;
        for (int other = 0; other < arrays; ++other) {
            oracle_line &line = lines[other];
            const size_t from = size_t(line.number) * length(other);
            if (other == a || line.number < 0 || from >= end || from + length(other) <= begin)
                continue;
            counted[write_back] += line.any(line.dirty);
            if (writes)
                line.number = -1;
            else if (!line.fetched) // the bytes that were written are not owed any more, and nothing tells which they are
                line.valid.assign(length(other), false);
            line.dirty.assign(length(other), false);
        }
    }
    // The block has chosen these arrays.
    void decide(unsigned chosen)
    {
        for (int a = 0; a < arrays; ++a)
            if (!(chosen >> a & 1))
                drop(lines[a]);
        cached = chosen;
    }
};

template <typename T, int A, bool Apart, class Cache, class Oracle>
static void access(trial &t, Cache &cache, Oracle &model, int thread, long sequence)
{
    int begin = std::max(t.first[A], thread ? t.cut : 0), end = std::min(t.last[A], thread ? t.bytes : t.cut);
    begin = (begin + int(alignof(T)) - 1) / int(alignof(T)) * int(alignof(T));
    int places = (end - begin - int(sizeof(T))) / int(alignof(T)) + 1;
    if (end - begin < int(sizeof(T)))
        return;
    int at = begin + below(std::min(places, 1 + below(40))) * int(alignof(T));
    T *address = reinterpret_cast<T *>(t.memory + at);
    int kind = below(16);
    if (kind == 0) {
        cache.before_atomic(address, sizeof(T));
        if (std::memcmp(address, t.plain + at, sizeof(T)))
            wrong("an atomic function found old bytes", sequence);
        t.memory[at] ^= 0x55;
        t.plain[at] ^= 0x55;
        for (auto &line : model.lines)
            if (line.number >= 0 && line.number * (long)line.valid.size() < long(size_t(address)) + long(sizeof(T)) &&
                (line.number + 1) * (long)line.valid.size() > long(size_t(address)))
                model.drop(line);
        return;
    }
    bool writes = kind < 8;
    if (writes) {
        T value;
        for (unsigned b = 0; b < sizeof(T); ++b)
            t.plain[at + b] = reinterpret_cast<char *>(&value)[b] = char(generator());
        cache.template write<A>(address, value);
    } else {
        T value = cache.template read<A>(static_cast<const T *>(address));
        if (std::memcmp(&value, t.plain + at, sizeof(T)))
            wrong("a read gave other bytes", sequence);
    }
    if (!Apart)
        model.settle(t, A, at, sizeof(T), writes);
    if (model.cached >> A & 1)
        for (unsigned piece = 0; piece < sizeof(T); piece += alignof(T))
            model.piece(t, A, at + piece, alignof(T), writes);
}

template <int A, bool Apart, class Cache, class Oracle>
static void any_type(trial &t, Cache &cache, Oracle &model, int thread, long sequence)
{
    switch (below(6)) {
    case 0: return access<char, A, Apart>(t, cache, model, thread, sequence);
    case 1: return access<short, A, Apart>(t, cache, model, thread, sequence);
    case 2: return access<int, A, Apart>(t, cache, model, thread, sequence);
    case 3: return access<double, A, Apart>(t, cache, model, thread, sequence);
    case 4: return access<triple, A, Apart>(t, cache, model, thread, sequence);
    default: return access<wide, A, Apart>(t, cache, model, thread, sequence);
    }
}

template <int Line, bool Apart, int Threshold, unsigned Wide = 0>
static void sequence(long number)
{
    using Cache = accache_private::cache<arrays, Line, Apart, Threshold, Wide>;
    trial t;
    t.bytes = 16 * (3 + below(45)) + 4 * below(4);
    t.memory = static_cast<char *>(std::malloc(t.bytes)); // exact: the sanitizer sees what passes its ends
    for (int b = 0; b < t.bytes; ++b)
        t.memory[b] = t.plain[b] = char(generator());
    int ends[4] = {0, below(t.bytes), below(t.bytes), t.bytes};
    std::sort(ends, ends + 4);
    int slots = below(4 + !!(Wide & 1) + !!(Wide & 2) + !!(Wide & 4)), threads = 2;
    std::vector<unsigned> shared(accache_private::words_needed(arrays, slots, threads, Line, Threshold), 0xdeadbeefu);
    if (Threshold)
        std::fill(shared.end() - arrays - 2, shared.end(), 0u);
    Cache caches[2] = {{shared.data(), slots, 0, threads}, {shared.data(), slots, 1, threads}};
    for (int a = 0; a < arrays; ++a) {
        int other = below(t.bytes), another = below(t.bytes);
        t.first[a] = Apart ? ends[a] : std::min(other, another);
        t.last[a] = Apart ? ends[a + 1] : std::max(other, another) + 1;
    }
    for (Cache &cache : caches) {
        cache.template bind<0>(t.memory + t.first[0], t.last[0] - t.first[0], true);
        cache.template bind<1>(t.memory + t.first[1], t.last[1] - t.first[1], false);
        cache.template bind<2>(t.memory + t.first[2], t.last[2] - t.first[2], false);
    }
    bool decides = Threshold && below(2);
    unsigned chosen = unsigned(below(8)), cached = 0, first = (1u << slots) - 1;
    const unsigned *decision = shared.data() + shared.size() - arrays - 2; // if it monitors
    for (int a = 0, free = slots; !Threshold && a < arrays; ++a) { // the first arrays have as many as there are
        free -= Wide & 1u << a ? 2 : 1;
        cached |= free >= 0 ? 1u << a : 0;
    }
    for (int pass = 0, left = slots; Threshold && pass < 2; ++pass) // chosen arrays with lines keep them
        for (int a = 0; a < arrays; ++a)
            if ((chosen >> a & 1) && (first >> a & 1) == !pass && left-- > 0)
                cached |= 1u << a;
    oracle<Line, Wide, (Threshold > 0)> models[2];
    for (auto &model : models)
        model.cached = decides ? first & 7u : cached;
    if constexpr (Threshold > 0)
        if (!decides)
            for (Cache &cache : caches)
                cache.decide(chosen);
    events[fetch] = events[write_back] = 0;
    t.cut = below(t.bytes + 1);
    for (int step = below(60); step-- > 0;) {
        if (below(20) == 0) { // a fence: the threads see each other's bytes
            for (int i = 0; i < 2; ++i) {
                caches[i].flush();
                for (auto &line : models[i].lines)
                    models[i].drop(line);
            }
            if (std::memcmp(t.memory, t.plain, t.bytes))
                wrong("a fence left old bytes", number);
            t.cut = below(t.bytes + 1);
        }
        int i = below(2);
        if (decides && caches[i].monitors()) {
            caches[i].loop_head();
            if (!caches[i].monitors())
                models[i].decide(*decision & 7u);
        }
        switch (below(3)) {
        case 0: any_type<0, Apart>(t, caches[i], models[i], i, number); break;
        case 1: any_type<1, Apart>(t, caches[i], models[i], i, number); break;
        default: any_type<2, Apart>(t, caches[i], models[i], i, number); break;
        }
    }
    for (int i = 0; i < 2; ++i) {
        caches[i].flush();
        for (auto &line : models[i].lines)
            models[i].drop(line);
    }
    if (std::memcmp(t.memory, t.plain, t.bytes))
        wrong("the end left old bytes", number);
    for (int kind : {fetch, write_back})
        if (events[kind] != models[0].counted[kind] + models[1].counted[kind])
            wrong(kind == fetch ? "another number of fetches" : "another number of write-backs", number);
    std::free(t.memory);
}

#ifdef FEW // each form takes long to compile; in these the first three parameters have both of their values
static const int forms[] = {1, 2, 7, 9};
#else
static const int forms[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
#endif

int main(int, char **arguments)
{
    long count = std::atol(arguments[1]);
    generator.seed(unsigned(std::atol(arguments[2])));
    for (long number = 0; number < count; ++number)
        switch (forms[number % std::size(forms)]) {
        case 1: sequence<16, false, 8>(number); break;
        case 2: sequence<32, true, 8>(number); break;
        case 7: sequence<32, false, 0>(number); break;
        case 9: sequence<16, true, 0, 6>(number); break;
#ifndef FEW
        case 0: sequence<16, true, 8>(number); break;
        case 3: sequence<32, false, 8>(number); break;
        case 4: sequence<16, true, 0>(number); break;
        case 5: sequence<16, false, 0>(number); break;
        case 6: sequence<32, true, 0>(number); break;
        case 8: sequence<16, true, 0, 1>(number); break;
        case 10: sequence<16, false, 0, 2>(number); break;
#endif
        }
    std::puts("right");
}
