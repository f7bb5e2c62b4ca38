// Names for addresses: which array, and how far into it.
#include <cstdio>
#include <map>

#include "../device_memory.h"
#include "../shared_memory.h"
#include "findings.h"
#include "locals.h"
#include "state.h"
#include "symbols.h"

namespace accache_cpu::check {

struct Label {
    size_t bytes, element_bytes;
    std::string name;
    size_t first_byte = 0;  // of a section, in its array
};

static std::map<uintptr_t, Label> &labels() {
    static auto *all = new std::map<uintptr_t, Label>;
    return *all;
}

void remember_label(const void *device, size_t bytes, const char *name, size_t element_bytes) {
    labels()[reinterpret_cast<uintptr_t>(device)] = {bytes, element_bytes, name ? name : ""};
}

void remember_begin(const void *device, size_t first_byte) {
    auto label = labels().find(reinterpret_cast<uintptr_t>(device));
    if (label != labels().end()) label->second.first_byte = first_byte;
}

static void describe(Place &place, const std::string &name, long long offset, size_t bytes, size_t element) {
    std::snprintf(place.name, sizeof place.name, "%s", name.c_str());
    place.byte_offset = offset;
    place.array_bytes = bytes;
    place.element_bytes = element;
}

// How far an offset lies outside of [start, start + bytes); 0 inside.
static size_t distance(size_t offset, size_t start, size_t bytes) {
    if (offset < start) return start - offset;
    return offset < start + bytes ? 0 : offset - (start + bytes) + 1;
}

// An address outside of every array belongs to the nearest one: that is where the index went wrong.
static void nearest(Place &place, const std::vector<NamedRange> &ranges, size_t offset) {
    const NamedRange *best = nullptr;
    for (const NamedRange &range : ranges)
        if (!best || distance(offset, range.start, range.bytes) < distance(offset, best->start, best->bytes))
            best = &range;
    if (best)
        describe(place, best->name, static_cast<long long>(offset) - static_cast<long long>(best->start), best->bytes, 0);
}

static void name_global(Place &place, const void *address) {
    const char *wanted = static_cast<const char *>(address);
    const Allocation *below = device_memory().at_or_below(address);
    const Allocation *above = device_memory().above(address);
    auto ends = [](const Allocation *a) { return a->start + a->bytes; };
    if (below && above && wanted >= ends(below) && above->start - wanted < wanted - ends(below)) below = above;
    if (!below) below = above;
    if (!below) return;
    std::string name;
    size_t element = 0, bytes = below->bytes;
    const char *start = below->start;
    auto label = labels().find(reinterpret_cast<uintptr_t>(below->start));
    if (label != labels().end()) {
        name = label->second.name, element = label->second.element_bytes;
        place.first_byte = label->second.first_byte;
    }
    describe(place, name, wanted - start + static_cast<long long>(place.first_byte), bytes, element);
    place.freed = !below->live;
    if (below->kind == Kind::heap) place.memory = "heap";
}

// What a kernel has of shared memory, and functions that it may call: other kernels' lies beside it here.
static std::vector<NamedRange> shared_of(const accache_cpu_launch &launched) {
    std::vector<NamedRange> found;
    for (const NamedRange &range : symbols().shared)
        if (is_of_kernel(range, launched.name, launched.function)) found.push_back(range);
    return found;
}

Place place_of(const void *address) {
    Place place{"host", "", 0, 0, 0, false};
    if (device_memory().in_arena(address)) {
        place.memory = "global";
        name_global(place, address);
    } else if (state.shared.offset(address) < state.shared.bytes) {
        place.memory = "shared";
        std::vector<NamedRange> ranges = shared_of(*state.launch->request);
        size_t dynamic = static_cast<size_t>(shared_memory().dynamic - shared_memory().begin);
        size_t dynamic_bytes = state.launch->request->shared;
        if (dynamic_bytes) ranges.push_back({dynamic, dynamic_bytes, symbols().dynamic_name});
        nearest(place, ranges, state.shared.offset(address));
    } else if (const Local *local = local_at(address)) {
        place.memory = "local";
        const char *wanted = static_cast<const char *>(address);
        long long offset = wanted - static_cast<const volatile char *>(local->start);
        describe(place, local->name, offset, local->bytes, local->element_bytes);
    } else if (const NamedRange *host = range_with(symbols().host, address)) {
        nearest(place, {*host}, reinterpret_cast<uintptr_t>(address));
    } else if (state.variables.offset(address) + 256 < state.variables.bytes + 512) {
        place.memory = "variable";
        nearest(place, symbols().variables, reinterpret_cast<uintptr_t>(address));
    }
    return place;
}

}  // namespace accache_cpu::check
