// Which arrays get lines, told by arithmetic of its own, and what accache_private.cuh decides.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#define ACCACHE_PRIVATE_NOTIFY
#include "on_host.h"

static void expect(bool holds, const char *what)
{
    if (!holds) {
        std::printf("%s\n", what);
        std::exit(1);
    }
}

template <int Arrays>
static unsigned chosen(const long long (&benefits)[Arrays], int slots) { return accache_private::choose(benefits, slots); }

static const int threshold = 60, arrays = 4, words = 4096;
alignas(32) static int memory[arrays][words];
typedef accache_private::cache<arrays, 16, true, threshold> lines_of_a_thread;

static void bind(lines_of_a_thread &cache)
{
    cache.bind<0>(memory[0], sizeof memory[0], true);
    cache.bind<1>(memory[1], sizeof memory[1], false);
    cache.bind<2>(memory[2], sizeof memory[2], true);
    cache.bind<3>(memory[3], sizeof memory[3], true);
}

// A thread's round: array 0 misses always, 1 is updated, 2 and 3 are read in steps of these.
static void round_of(lines_of_a_thread &cache, int i, int two, int three)
{
    cache.loop_head();
    cache.read<0>(&memory[0][4 * i % words]);
    cache.write<1>(&memory[1][4 * i % words], cache.read<1>(&memory[1][4 * i % words]) + 1);
    cache.read<2>(&memory[2][two * i % words]);
    cache.read<3>(&memory[3][three * i % words]);
}

// What lines would save such a thread in so many rounds, in thirds of an access.
static long long saved(int rounds, int step, int uses, bool read_only)
{
    long long misses = 0, line = -1;
    for (int i = 0; i < rounds; ++i)
        if (step * i / 4 != line) {
            line = step * i / 4;
            ++misses;
        }
    const long long net = 3 * (rounds * uses - misses) - misses;
    return read_only && net > 0 ? 2 * net : net;
}

// The arrays that have a line now, a bit each: a place where nothing has been is fetched.
static unsigned held(lines_of_a_thread &cache)
{
    static int at = 3000;
    at += 8;
    unsigned found = 0;
    long before = events[fetch];
    cache.read<0>(&memory[0][at]), found |= unsigned(events[fetch] != before) << 0, before = events[fetch];
    cache.read<1>(&memory[1][at]), found |= unsigned(events[fetch] != before) << 1, before = events[fetch];
    cache.read<2>(&memory[2][at]), found |= unsigned(events[fetch] != before) << 2, before = events[fetch];
    cache.read<3>(&memory[3][at]), found |= unsigned(events[fetch] != before) << 3;
    return found;
}

// The best of these, at most so many, the first ones among equals.
static unsigned best_of(std::vector<long long> benefits, int slots)
{
    std::vector<int> order;
    for (int a = 0; a < int(benefits.size()); ++a)
        if (benefits[a] > 0)
            order.push_back(a);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return benefits[a] > benefits[b]; });
    unsigned found = 0;
    for (int k = 0; k < int(order.size()) && k < slots; ++k)
        found |= 1u << order[k];
    return found;
}

static std::map<unsigned, unsigned> blocks_with; // lines of such arrays

static void one_thread(int slots, int two, int three)
{
    std::vector<unsigned> shared(accache_private::words_needed(arrays, slots, 1, 16), 0);
    lines_of_a_thread cache(shared.data(), slots, 0, 1);
    bind(cache);
    const int rounds = threshold / 5;
    for (int i = 0; i < rounds; ++i) {
        round_of(cache, i, two, three);
        expect(cache.monitors(), "a thread decides before it has monitored enough");
    }
    cache.loop_head();
    expect(!cache.monitors(), "a thread that has monitored enough does not decide");
    const unsigned expected = best_of({saved(rounds, 4, 1, true), saved(rounds, 4, 2, false), saved(rounds, two, 1, true),
                                       saved(rounds, three, 1, true)}, slots);
    ++blocks_with[expected];
    expect(held(cache) == expected, "other arrays have lines than those that gain most");
}

// Of two threads each sees another array gain; what both gain together decides, when both have told.
static void two_threads()
{
    const int slots = 2;
    std::vector<unsigned> shared(accache_private::words_needed(arrays, slots, 2, 16), 0);
    lines_of_a_thread one(shared.data(), slots, 0, 2), two(shared.data(), slots, 1, 2);
    bind(one);
    bind(two);
    const int rounds = threshold / 5;
    for (int i = 0; i < rounds; ++i)
        round_of(one, i, 4, 2);
    one.loop_head();
    one.loop_head();
    expect(one.monitors(), "one thread of two decides for both");
    for (int i = 0; i < rounds; ++i)
        round_of(two, i, 1, 4);
    two.loop_head();
    expect(!two.monitors(), "the last thread to tell does not decide");
    one.loop_head();
    expect(!one.monitors(), "a thread does not learn what the block has decided");
    const unsigned expected = best_of({2 * saved(rounds, 4, 1, true), 2 * saved(rounds, 4, 2, false),
                                       2 * (saved(rounds, 4, 1, false) + saved(rounds, 1, 1, false)),
                                       2 * (saved(rounds, 2, 1, false) + saved(rounds, 4, 1, false))}, slots);
    expect(held(one) == expected && held(two) == expected, "threads of a block have lines of other arrays");
}

// What has been noted of blocks, the most frequent first, is what they chose.
static void choices_are_noted(const std::map<unsigned, unsigned> &expected)
{
    accache_private::choices found = accache_private::noted;
    std::map<unsigned, unsigned> told;
    unsigned before = ~0u, blocks;
    for (unsigned set; (set = accache_private::taken_first(found, blocks)) != 0; before = blocks) {
        expect(blocks <= before, "the most frequent choice does not come first");
        told[set & 0x7fffffffu] = blocks;
    }
    expect(told == expected && found.others == 0, "other choices are noted than blocks make");
}

static void further_choices_are_counted()
{
    accache_private::noted = accache_private::choices();
    for (unsigned set = 0; set < accache_private::choices::most + 3; ++set)
        for (int block = 0; block < 2; ++block)
            accache_private::note(0x80000000u | set);
    unsigned blocks = 0;
    for (const unsigned number : accache_private::noted.blocks)
        blocks += number;
    expect(blocks == 2 * accache_private::choices::most && accache_private::noted.others == 6,
           "choices of too many kinds are not counted");
}

int main()
{
    const long long mixed[] = {5, 9, 0, -3, 9, 1}, equal[] = {4, 4, 4};
    expect(chosen(mixed, 0) == 0, "lines are chosen where there are none");
    expect(chosen(mixed, 1) == 0x02 && chosen(mixed, 2) == 0x12 && chosen(mixed, 3) == 0x13, "not the best are chosen");
    expect(chosen(mixed, 6) == 0x33, "arrays that do not gain are chosen");
    expect(chosen(equal, 2) == 0x3, "of equals the first are not chosen");
    expect(accache_private::ranked(10, true) == 20 && accache_private::ranked(10, false) == 10 &&
               accache_private::ranked(-10, true) == -10 && accache_private::ranked(0, true) == 0,
           "arrays that are only read do not count twice");
    const int steps[][2] = {{1, 2}, {2, 1}, {1, 4}, {4, 4}, {4, 2}, {2, 2}, {3, 1}};
    for (int slots = 0; slots <= arrays; ++slots)
        for (const auto &step : steps)
            one_thread(slots, step[0], step[1]);
    choices_are_noted(blocks_with);
    two_threads();
    further_choices_are_counted();
    std::printf("right\n");
}
