// What loads with a policy, and stores, do to lines of L1; and how many bytes a miss fetches.
#include "micro.cuh"

constexpr int WORDS = 256 / sizeof(unsigned), MOST = 8192;

// After a load of the first word: which words of the next 256 bytes are slow, each asked in a launch of its own.
__global__ void after_one_word(const char *memory, int word, unsigned *cycles)
{
    __shared__ volatile unsigned sink;
    use(&sink, load(memory));
    *cycles = cycles_of(memory + word * sizeof(unsigned), &sink);
}

// A load by one policy, then by another: cycles of the second.
template <int FIRST, int SECOND> __global__ void one_after_another(const char *memory, unsigned *cycles)
{
    __shared__ volatile unsigned sink;
    use(&sink, load<FIRST>(memory));
    *cycles = cycles_of<SECOND>(memory, &sink);
}

// A load by a policy, then default loads of other lines, then the first again.
template <int POLICY> __global__ void after_others(const char *memory, int others, unsigned *cycles)
{
    __shared__ volatile unsigned sink;
    use(&sink, load<POLICY>(memory));
    for (int i = 1; i <= others; ++i)
        use(&sink, load(memory + i * LINE));
    *cycles = cycles_of(memory, &sink);
}

// A store, before it a load if `loaded`, then a load.
__global__ void after_store(char *memory, bool loaded, unsigned *cycles)
{
    __shared__ volatile unsigned sink;
    if (loaded)
        use(&sink, load(memory));
    store(memory, 1);
    *cycles = cycles_of(memory, &sink);
}

struct Bench {
    unsigned limit;
    Buffer<char> memory{size_t(MOST + 1) * LINE};
    Buffer<unsigned> cycles{1};

    explicit Bench(unsigned limit) : limit(limit) {}

    // Whether the load that a launch times is a hit. Two launches: the first one fills L2.
    template <typename Launch> bool hits(Launch launch)
    {
        launch();
        launch();
        CHECK(cudaDeviceSynchronize());
        return cycles.host()[0] <= limit;
    }

    template <int POLICY> void print(const char *name)
    {
        bool keeps = hits([&] { launch(one_after_another<POLICY, CA>, 1, memory.data, cycles.data); });
        bool finds = hits([&] { launch(one_after_another<CA, POLICY>, 1, memory.data, cycles.data); });
        int kept = -1, lost = 0;
        if (keeps) {
            kept = 0, lost = 1;
            auto stays = [&](int others) {
                return hits([&] { launch(after_others<POLICY>, 1, memory.data, others, cycles.data); });
            };
            while (lost < MOST && stays(lost))
                kept = lost, lost *= 2;
            while (lost < MOST && lost - kept > 1)
                (stays((kept + lost) / 2) ? kept : lost) = (kept + lost) / 2;
        }
        std::printf("%-12s %-6s %-6s", name, keeps ? "yes" : "no", finds ? "yes" : "no");
        std::printf(keeps ? " %s%d\n" : "\n", lost >= MOST ? ">= " : "", kept);
    }
};

int main()
{
    prefer_l1(after_one_word);
    Bench bench(measure_latencies().limit());
    int word = 1;
    while (word < WORDS && bench.hits([&] { launch(after_one_word, 1, bench.memory.data, word, bench.cycles.data); }))
        ++word;
    std::printf("fetched_bytes %zu\n\n", word * sizeof(unsigned));
    std::printf("policy       keeps  looks  lines loaded after it before it goes\n");
    bench.print<CA>("ca");
    bench.print<CG>("cg");
    bench.print<NO_ALLOCATE>("no_allocate");
    bench.print<EVICT_FIRST>("evict_first");
    bench.print<EVICT_LAST>("evict_last");
    for (bool loaded : {false, true}) {
        bool hit = bench.hits([&] { launch(after_store, 1, bench.memory.data, loaded, bench.cycles.data); });
        std::printf("%s %s\n", loaded ? "\nstore_leaves_a_line" : "\nstore_allocates", hit ? "yes" : "no");
    }
    return 0;
}
