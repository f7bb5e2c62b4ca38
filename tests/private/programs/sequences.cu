// Random sequences of accesses by the threads of blocks, through accache_private.cuh and in plain memory: arguments
// N, the blocks of each form, and a seed. Neighbouring threads own neighbouring bytes, also of one line.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

__device__ unsigned long long events[2], expected[2];
enum { fetch, write_back };
#define ACCACHE_PRIVATE_EVENT(kind) atomicAdd(&events[kind], 1ull)
#include "../../../templates/runtime/accache_private.cuh"

#ifndef FORMS
#define FORMS 31 // a bit each of those to try: each takes long to compile
#endif

struct triple { short x, y, z; };
struct alignas(16) wide { long long x, y; };

static const int arrays = 3, threads = 48, rounds = 3, steps = 24;
enum fault { none, old_read, old_atomic };

// What a block works on: array a is [first[a], last[a]) of the bytes, of which thread t owns [cuts[r][t], cuts[r][t + 1])
// in round r.
struct plan {
    char *memory, *plain;
    int first[arrays], last[arrays], cuts[rounds][threads + 1];
    unsigned chosen;
};

struct generator {
    unsigned state;
    __device__ unsigned next()
    {
        state ^= state << 13;
        state ^= state >> 17;
        return state ^= state << 5;
    }
    __device__ int below(int n) { return int(next() % unsigned(n)); }
};

// What lines do, told by bytes: independent of the header's masks.
template <int Line, unsigned Wide>
struct oracle {
    long line[arrays];
    bool valid[arrays][32], dirty[arrays][32];
    unsigned long long counted[2];

    __device__ oracle() : counted{0, 0}
    {
        for (int a = 0; a < arrays; ++a)
            line[a] = -1;
    }
    __device__ static int length(int a) { return Wide & 1u << a ? 32 : Line; }
    __device__ void drop(int a)
    {
        bool owes = false;
        for (int b = 0; line[a] >= 0 && b < length(a); ++b)
            owes = owes || dirty[a][b];
        counted[write_back] += owes;
        line[a] = -1;
    }
    __device__ void drop_all()
    {
        for (int a = 0; a < arrays; ++a)
            drop(a);
    }
    __device__ void before_atomic(int at, int size)
    {
        for (int a = 0; a < arrays; ++a)
            if (line[a] >= 0 && line[a] * length(a) < at + size && (line[a] + 1) * length(a) > at)
                drop(a);
    }
    __device__ void piece(const plan &p, int a, int at, int size, bool writes)
    {
        const long number = at / length(a), begin = number * length(a);
        if (begin < p.first[a] || begin + length(a) > p.last[a]) // lines at the ends are left to memory
            return;
        if (line[a] != number) {
            drop(a);
            line[a] = number;
            for (int b = 0; b < length(a); ++b)
                valid[a][b] = dirty[a][b] = false;
        }
        bool hit = true;
        for (int b = at - int(begin); b < at - begin + size; ++b) {
            hit = hit && valid[a][b];
            if (writes)
                valid[a][b] = dirty[a][b] = true;
        }
        if (writes || hit)
            return;
        ++counted[fetch];
        for (int b = 0; b < length(a); ++b)
            valid[a][b] = true;
    }
};

// One thread's access to array A by a type, at one of its own bytes.
template <typename T, int A, class Cache, class Oracle>
__device__ __noinline__ void access(const plan &p, int round, Cache &cache, Oracle &model, generator &random, bool cached, int *wrong)
{
    const int own = p.cuts[round][threadIdx.x], others = p.cuts[round][threadIdx.x + 1], each = alignof(T);
    int begin = max(p.first[A], own), end = min(p.last[A], others);
    begin = (begin + each - 1) / each * each;
    if (end - begin < int(sizeof(T)))
        return;
    const int at = begin + random.below((end - begin - int(sizeof(T))) / each + 1) * each;
    T *address = reinterpret_cast<T *>(p.memory + at);
    const int kind = random.below(16);
    if (kind == 0) {
        cache.before_atomic(address, sizeof(T));
        model.before_atomic(at, sizeof(T));
        for (int b = 0; b < int(sizeof(T)); ++b)
            if (p.memory[at + b] != p.plain[at + b])
                *wrong = old_atomic;
        p.memory[at] ^= 0x55;
        p.plain[at] ^= 0x55;
        return;
    }
    const bool writes = kind < 8;
    T value;
    char bytes[sizeof(T)];
    if (writes) {
        for (int b = 0; b < int(sizeof(T)); ++b)
            bytes[b] = p.plain[at + b] = char(random.next() >> 8);
        memcpy(&value, bytes, sizeof(T));
        cache.template write<A>(address, value);
    } else {
        value = cache.template read<A>(static_cast<const T *>(address));
        memcpy(bytes, &value, sizeof(T));
        for (int b = 0; b < int(sizeof(T)); ++b)
            if (bytes[b] != p.plain[at + b])
                *wrong = old_read;
    }
    for (int part = 0; cached && part < int(sizeof(T)); part += each)
        model.piece(p, A, at + part, each, writes);
}

template <int A, class Cache, class Oracle>
__device__ void by_any_type(const plan &p, int round, Cache &cache, Oracle &model, generator &random, unsigned cached,
                            int *wrong)
{
    const bool has_line = cached >> A & 1;
    switch (random.below(6)) {
    case 0: return access<char, A>(p, round, cache, model, random, has_line, wrong);
    case 1: return access<short, A>(p, round, cache, model, random, has_line, wrong);
    case 2: return access<int, A>(p, round, cache, model, random, has_line, wrong);
    case 3: return access<double, A>(p, round, cache, model, random, has_line, wrong);
    case 4: return access<triple, A>(p, round, cache, model, random, has_line, wrong);
    default: return access<wide, A>(p, round, cache, model, random, has_line, wrong);
    }
}

// The arrays that have lines.
template <int Threshold, unsigned Wide>
__device__ unsigned arrays_with_lines(int slots, unsigned chosen)
{
    unsigned cached = 0;
    for (int a = 0, free = slots; !Threshold && a < arrays; ++a) { // the first arrays have as many as there are
        free -= Wide & 1u << a ? 2 : 1;
        cached |= free >= 0 ? 1u << a : 0;
    }
    for (int pass = 0, left = slots; Threshold && pass < 2; ++pass) // chosen arrays with lines keep them
        for (int a = 0; a < arrays; ++a)
            if ((chosen >> a & 1) && (a < slots) == !pass && left-- > 0)
                cached |= 1u << a;
    return cached;
}

template <int Line, bool Apart, int Threshold, unsigned Wide>
__global__ void sequences(const plan *plans, int slots, bool decides, unsigned seed, int *wrong)
{
    extern __shared__ unsigned words[];
    const plan &p = plans[blockIdx.x];
    if (Threshold && threadIdx.x < arrays + 2)
        words[slots * (Line / 4) * threads + threadIdx.x] = 0;
    accache_private::cache<arrays, Line, Apart, Threshold, Wide> cache(words, slots, threadIdx.x, threads);
    __syncthreads();
    cache.template bind<0>(p.memory + p.first[0], p.last[0] - p.first[0], true);
    cache.template bind<1>(p.memory + p.first[1], p.last[1] - p.first[1], false);
    cache.template bind<2>(p.memory + p.first[2], p.last[2] - p.first[2], false);
    if (Threshold && !decides)
        cache.decide(p.chosen);
    const unsigned cached = arrays_with_lines<Threshold, Wide>(slots, p.chosen);
    oracle<Line, Wide> model;
    generator random = {seed + 2654435761u * (blockIdx.x * threads + threadIdx.x + 1) | 1u};
    for (int round = 0; round < rounds; ++round) {
        for (int step = 0; step < steps; ++step) {
            if (decides)
                cache.loop_head();
            switch (random.below(3)) {
            case 0: by_any_type<0>(p, round, cache, model, random, cached, wrong); break;
            case 1: by_any_type<1>(p, round, cache, model, random, cached, wrong); break;
            default: by_any_type<2>(p, round, cache, model, random, cached, wrong); break;
            }
        }
        cache.flush();
        model.drop_all();
        __syncthreads(); // then the threads have other bytes
    }
    atomicAdd(&expected[fetch], model.counted[fetch]);
    atomicAdd(&expected[write_back], model.counted[write_back]);
}

static std::mt19937 host;
static int below(int n) { return int(host() % unsigned(n)); }

template <typename T>
static T *on_device(const std::vector<T> &values)
{
    void *found = nullptr;
    cudaMalloc(&found, values.size() * sizeof(T));
    cudaMemcpy(found, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
    return static_cast<T *>(found);
}

template <typename T>
static std::vector<T> on_host(const T *values, size_t count)
{
    std::vector<T> found(count);
    cudaMemcpy(found.data(), values, count * sizeof(T), cudaMemcpyDeviceToHost);
    return found;
}

template <int Line, bool Apart, int Threshold, unsigned Wide = 0>
static bool right(int blocks)
{
    std::vector<plan> plans(blocks);
    std::vector<int> lengths;
    for (plan &p : plans) {
        const int bytes = 16 * (40 + below(120)) + below(16);
        std::vector<char> start(bytes);
        for (char &byte : start)
            byte = char(host());
        p.memory = on_device(start); // exact: a checker sees what passes its ends
        p.plain = on_device(start);
        p.chosen = unsigned(below(8));
        int ends[4] = {0, below(bytes), below(bytes), bytes};
        std::sort(ends, ends + 4);
        for (int a = 0; a < arrays; ++a) {
            const int one = below(bytes), other = below(bytes);
            p.first[a] = Apart ? ends[a] : std::min(one, other);
            p.last[a] = Apart ? ends[a + 1] : std::max(one, other) + 1;
        }
        for (auto &cuts : p.cuts) {
            for (int &cut : cuts)
                cut = below(bytes + 1);
            std::sort(cuts, cuts + threads + 1);
        }
        lengths.push_back(bytes);
    }
    const int slots = below(4 + !!(Wide & 1) + !!(Wide & 2) + !!(Wide & 4));
    const bool decides = Threshold && below(2);
    const plan *given = on_device(plans);
    int *wrong = on_device(std::vector<int>{none});
    const unsigned long long zeros[2] = {0, 0};
    unsigned long long found[2], counted[2];
    cudaMemcpyToSymbol(events, zeros, sizeof zeros);
    cudaMemcpyToSymbol(expected, zeros, sizeof zeros);
    sequences<Line, Apart, Threshold, Wide>
        <<<blocks, threads, 4 * accache_private::words_needed(arrays, slots, threads, Line, Threshold)>>>(
            given, slots, decides, host(), wrong);
    cudaMemcpyFromSymbol(found, events, sizeof found);
    cudaMemcpyFromSymbol(counted, expected, sizeof counted);
    const char *fault = on_host(wrong, 1)[0] == old_read     ? "a read gave other bytes"
                        : on_host(wrong, 1)[0] == old_atomic ? "an atomic function found old bytes"
                                                             : nullptr;
    for (int b = 0; b < blocks; ++b)
        if (on_host(plans[b].memory, lengths[b]) != on_host(plans[b].plain, lengths[b]))
            fault = "the end left old bytes";
    if (Apart && !decides && (found[0] != counted[0] || found[1] != counted[1]))
        fault = "another number of fetches or write-backs";
    if (fault != nullptr)
        std::printf("lines of %d bytes, %d slots: %s\n", Line, slots, fault);
    return fault == nullptr;
}

int main(int, char **arguments)
{
    const int blocks = std::atoi(arguments[1]);
    host.seed(unsigned(std::atol(arguments[2])));
    bool is_right = true;
#if FORMS & 1
    is_right = is_right && right<16, false, 8>(blocks);
#endif
#if FORMS & 2
    is_right = is_right && right<32, true, 8>(blocks);
#endif
#if FORMS & 4
    is_right = is_right && right<16, true, 0>(blocks);
#endif
#if FORMS & 8
    is_right = is_right && right<32, false, 0>(blocks);
#endif
#if FORMS & 16
    is_right = is_right && right<16, true, 0, 6>(blocks);
#endif
    if (is_right)
        std::puts("right");
    return !is_right;
}
