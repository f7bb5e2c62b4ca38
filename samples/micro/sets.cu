// Which lines share a set of the L1 cache: the paper's Figures 5 to 7, and what follows of size and ways.
//
// A thread loads lines, perhaps one more, and the lines again; loads of the second time that take long have missed.
#include "micro.cuh"

constexpr int MOST = 8192; // lines of a probe

// Which of the second loads of `count` lines, `stride` bytes apart, are slow, with a load of `extra` between unless negative.
__global__ void probe(const char *memory, size_t stride, int count, long long extra, unsigned limit, unsigned *slow)
{
    __shared__ unsigned late[MOST / 32];
    __shared__ volatile unsigned sink;
    for (int i = 0; i < MOST / 32; ++i)
        late[i] = 0;
    for (int i = 0; i < count; ++i)
        use(&sink, load(memory + i * stride));
    if (extra >= 0)
        use(&sink, load(memory + extra));
    for (int i = 0; i < count; ++i)
        if (cycles_of(memory + i * stride, &sink) > limit)
            late[i / 32] |= 1u << i % 32;
    for (int i = 0; i < MOST / 32; ++i)
        slow[i] = late[i];
}

// Whether the first line is lost after `count` loads of lines that differ from it by `flip` and multiples of `far`.
__global__ void conflict(const char *memory, size_t flip, size_t far, int count, unsigned limit, unsigned *lost)
{
    __shared__ volatile unsigned sink;
    use(&sink, load(memory));
    for (int i = 0; i < count; ++i)
        use(&sink, load(memory + flip + (i + 1) * far));
    *lost = cycles_of(memory, &sink) > limit;
}

struct Bench {
    unsigned limit;
    Buffer<char> memory;
    Buffer<unsigned> slow{MOST / 32};

    Bench(unsigned limit, size_t bytes) : limit(limit), memory(bytes) {}

    // How many second loads miss. Twice, so that L2 has all lines when it counts.
    int misses(size_t stride, int count, long long extra = -1)
    {
        for (int run = 0; run < 2; ++run)
            launch(probe, 1, memory.data, stride, count, extra, limit, slow.data);
        CHECK(cudaDeviceSynchronize());
        int found = 0;
        for (unsigned word : slow.host())
            for (; word; word &= word - 1)
                ++found;
        return found;
    }

    bool fits(size_t stride, int count) const { return count <= MOST && (count - 1) * stride + LINE <= memory.count; }

    // The most lines, a stride apart, of which none is lost; 0 if the memory is too small to find out.
    int most_kept(size_t stride)
    {
        int kept = 1, lost = 2;
        while (fits(stride, lost) && misses(stride, lost) == 0)
            kept = lost, lost *= 2;
        if (!fits(stride, lost))
            return 0;
        while (lost - kept > 1) {
            int middle = (kept + lost) / 2;
            (misses(stride, middle) == 0 ? kept : lost) = middle;
        }
        return kept;
    }

    bool share_a_set(size_t flip, size_t far, int ways)
    {
        for (int run = 0; run < 2; ++run)
            launch(conflict, 1, memory.data, flip, far, ways, limit, slow.data);
        CHECK(cudaDeviceSynchronize());
        return slow.host()[0] != 0;
    }
};

// Figure 7: the percentage of loads that miss if lines are loaded twice.
void print_grid(Bench &bench, int lines)
{
    std::printf("\npercent of misses of COUNT loads, made twice, by the bytes between them\nstride");
    for (int count = 4; count <= 2 * lines; count *= 2)
        std::printf(" %5d", count);
    for (int bit = 7; bit <= 20; ++bit) {
        std::printf("\n2^%-4d", bit);
        for (int count = 4; count <= 2 * lines; count *= 2)
            if (bench.fits(size_t(1) << bit, count))
                std::printf(" %5.0f", 50 + 50.0 * bench.misses(size_t(1) << bit, count) / count);
            else
                std::printf("     -");
    }
    std::printf("\n");
}

// Figure 6: address bits that choose the set, alone or by exclusive or with another. Bits from `top` on are taken to do neither.
void print_bits(Bench &bench, int top, int ways)
{
    size_t far = size_t(1) << top;
    if (far * (ways + 2) > bench.memory.count) {
        std::printf("\nset_bits unknown: %d ways need more memory\n", ways);
        return;
    }
    std::vector<int> choosing;
    for (int bit = 7; bit < top; ++bit)
        if (!bench.share_a_set(size_t(1) << bit, far, ways))
            choosing.push_back(bit);
    std::printf("\nset_bits");
    for (int bit : choosing)
        std::printf(" %d", bit);
    std::printf("\nset_bits_by_xor");
    for (size_t i = 0; i < choosing.size(); ++i)
        for (size_t j = i + 1; j < choosing.size(); ++j)
            if (bench.share_a_set((size_t(1) << choosing[i]) | (size_t(1) << choosing[j]), far, ways))
                std::printf(" %d^%d", choosing[i], choosing[j]);
    std::printf("\n");
}

int main()
{
    prefer_l1(probe);
    prefer_l1(conflict);
    Latencies latencies = measure_latencies();
    size_t available, total;
    CHECK(cudaMemGetInfo(&available, &total));
    Bench bench(latencies.limit(), std::min(available / 2, size_t(4) << 30));

    int lines = bench.most_kept(LINE);
    if (lines == 0) {
        std::printf("size_bytes more than %d\n", MOST * LINE);
        return 0;
    }
    int ways = lines;
    for (int bit = 12; bit <= 20; ++bit)
        if (int kept = bench.most_kept(size_t(1) << bit))
            ways = std::min(ways, kept);
    std::printf("size_bytes %d\nways %d\nsets %d\n", lines * LINE, ways, lines / ways);

    std::printf("\nlines lost when one more is loaded between, by its place behind the cache (Figure 5)\n");
    for (int line = 0; line < 32; ++line)
        std::printf("%d%c", bench.misses(LINE, lines, (long long)(lines + line) * LINE), line % 16 == 15 ? '\n' : ' ');
    print_grid(bench, lines);
    print_bits(bench, 21, ways);
    return 0;
}
