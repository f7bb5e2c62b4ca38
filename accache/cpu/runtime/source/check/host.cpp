#include "host.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "../check.h"
#include "../compare.h"
#include "access.h"
#include "queues.h"

namespace accache_cpu::check {

// Memory of the host with its copy on the device.
struct Pair {
    uintptr_t host;
    size_t bytes;
    const char *device;
};

// What the device computed and nobody fetched before its copy ended: the host's bytes as they were then.
struct Dropped {
    std::string name;
    HostPlace place;
    std::vector<char> before;
    std::vector<bool> differs;
};

struct Host {
    std::map<uintptr_t, Pair> pairs;
    std::map<uintptr_t, uintptr_t> by_device;  // their host addresses
    std::map<uintptr_t, Dropped> dropped;      // by host address
    Attention watched;                         // all pairs and what was dropped, until nothing is left
    HostPlace place{"", 0};
    bool has_directives = false;
};

static Host &host() {
    static auto *all = new Host;
    return *all;
}

Attention host_attention() { return host().watched; }
const HostPlace &host_place() { return host().place; }
bool knows_directives() { return host().has_directives; }

void at(const char *file, int line) {
    host().place = {file, line};
    host().has_directives = true;
}

static void widen(uintptr_t start, size_t bytes) {
    Attention &watched = host().watched;
    if (watched.bytes == 0) watched.base = start;
    uintptr_t end = std::max(watched.base + watched.bytes, start + bytes);
    watched.base = std::min(watched.base, start);
    watched.bytes = end - watched.base;
    if (!state.in_kernel) attention = watched;
}

// The entry of a map of ranges that an address may lie in: the last one that begins at or before it.
template <class Map> static auto at_or_below(Map &map, uintptr_t address) {
    auto behind = map.upper_bound(address);
    return behind == map.begin() ? map.end() : std::prev(behind);
}

static const Pair *pair_at(uintptr_t address) {
    auto found = at_or_below(host().pairs, address);
    return found != host().pairs.end() && address - found->first < found->second.bytes ? &found->second : nullptr;
}

static Place named(const char *device) { return place_of(device); }

static void tell(const char *kind, const Pair &pair, uintptr_t address, size_t bytes, Access access, const void *pc,
                 const char *detail) {
    Place place = named(pair.device);
    size_t unit = place.element_bytes ? place.element_bytes : bytes;
    report_on_host({.kind = kind, .pc = pc, .bytes = bytes, .access = access, .detail = detail}, place.name,
                   (address - pair.host) / unit, unit, pair.bytes);
}

// Whether a kernel wrote the byte on the device since it was last copied from or to the host.
static bool is_newer(size_t offset) {
    const Cell &word = state.device.words[offset / 4];
    Stamp write = word.write == split ? state.device.single_bytes[offset].write : word.write;
    return write != 0 && (write & flags) != by_copy;
}

void mapped(const void *memory, const void *device, size_t bytes) {
    uintptr_t address = reinterpret_cast<uintptr_t>(memory);
    host().pairs[address] = {address, bytes, static_cast<const char *>(device)};
    host().by_device[reinterpret_cast<uintptr_t>(device)] = address;
    for (auto old = at_or_below(host().dropped, address + bytes - 1);
         old != host().dropped.end() && old->first + old->second.before.size() > address;
         old = at_or_below(host().dropped, address + bytes - 1))
        host().dropped.erase(old);
    widen(address, bytes);
}

static constexpr size_t alike = 64;  // bytes that are compared at once

void unmapped(const void *memory) {
    uintptr_t address = reinterpret_cast<uintptr_t>(memory);
    auto found = host().pairs.find(address);
    if (found == host().pairs.end()) return;
    Pair pair = found->second;
    size_t first = state.device.reserved ? state.device.offset(pair.device) : 0;
    Dropped lost{named(pair.device).name, host().place, {}, {}};
    const char *own = static_cast<const char *>(memory);
    for (size_t i = 0; i < pair.bytes && state.device.reserved; ++i) {
        if (i % alike == 0 && i + alike <= pair.bytes && std::memcmp(own + i, pair.device + i, alike) == 0) {
            i += alike - 1;
            continue;
        }
        if (!is_newer(first + i) || own[i] == pair.device[i]) continue;
        if (lost.before.empty()) lost.before.assign(own, own + pair.bytes), lost.differs.resize(pair.bytes);
        lost.differs[i] = true;
    }
    if (!lost.before.empty()) host().dropped[address] = std::move(lost);
    host().by_device.erase(reinterpret_cast<uintptr_t>(pair.device));
    host().pairs.erase(found);
    bool watched = !host().pairs.empty() || !host().dropped.empty() || has_unfinished();
    if (!watched) attention = host().watched = {};  // the host's own loops go on at full speed
}

// A value that the device computed, and that did not come back.
static void read_dropped(uintptr_t address, size_t bytes, const void *pc) {
    auto found = at_or_below(host().dropped, address);
    if (found == host().dropped.end() || address - found->first >= found->second.before.size()) return;
    Dropped &lost = found->second;
    for (size_t i = address - found->first; i < std::min(address - found->first + bytes, lost.before.size()); ++i) {
        bool unchanged = *reinterpret_cast<const char *>(found->first + i) == lost.before[i];
        if (!lost.differs[i] || !unchanged) continue;
        std::string detail = std::string("the device changed it, and the construct at ") + lost.place.file + ':' +
                             std::to_string(lost.place.line) + " did not copy it back";
        lost.differs.assign(lost.differs.size(), false);  // once is enough
        report_on_host({.kind = "stale", .pc = pc, .bytes = bytes, .detail = detail.c_str()}, lost.name.c_str(), i / bytes,
                       bytes, lost.before.size());
        return;
    }
}

static void forget_dropped(uintptr_t address, size_t bytes) {
    auto found = at_or_below(host().dropped, address);
    if (found == host().dropped.end()) return;
    std::vector<bool> &differs = found->second.differs;
    for (size_t i = address - found->first; i < std::min(address - found->first + bytes, differs.size()); ++i)
        differs[i] = false;
}

static void read_pair(const Pair &pair, uintptr_t address, size_t bytes, const void *pc) {
    size_t within = address - pair.host, count = std::min(bytes, pair.bytes - within);
    const char *own = reinterpret_cast<const char *>(address), *copy = pair.device + within;
    if (std::memcmp(own, copy, count) == 0) return;
    size_t offset = state.device.offset(copy);
    for (size_t i = 0; i < count; ++i)
        if (own[i] != copy[i] && is_newer(offset + i))
            return tell("stale", pair, address, bytes, Access::read, pc,
                        "the device has changed it since, and no update self or copyout brought that here");
}

static void write_pair(const Pair &pair, uintptr_t address, size_t bytes) {
    Region &device = state.device;
    size_t within = address - pair.host, count = std::min(bytes, pair.bytes - within);
    for (size_t done = 0; done < count; done += 16) {
        size_t part = std::min<size_t>(16, count - done), offset = device.offset(pair.device + within + done);
        uint32_t known = few_bits(device.written, offset, part);
        put_few_bits(device.outdated, offset, part, few_bits(device.outdated, offset, part) | known);
        put_few_bits(device.written, offset, part, 0);
    }
}

void host_access(const void *memory, size_t bytes, Access access, const void *pc) {
    uintptr_t address = reinterpret_cast<uintptr_t>(memory);
    if (address - host().watched.base >= host().watched.bytes || !state.device.reserved) return;
    if (tell_of_unfinished(memory, bytes, access, pc)) return;
    bool writes = !only_reads(access);
    const Pair *pair = pair_at(address);
    if (pair && !only_writes(access)) read_pair(*pair, address, bytes, pc);
    if (pair && writes) write_pair(*pair, address, bytes);
    if (pair || host().dropped.empty()) return;
    if (writes) forget_dropped(address, bytes);
    else read_dropped(address, bytes, pc);
}

static const char *host_of(const char *device) {
    auto found = at_or_below(host().by_device, reinterpret_cast<uintptr_t>(device));
    if (found == host().by_device.end()) return nullptr;
    const Pair &pair = host().pairs[found->second];
    size_t within = static_cast<size_t>(device - pair.device);
    return within < pair.bytes ? reinterpret_cast<const char *>(pair.host) + within : nullptr;
}

static constexpr const char *not_updated = "the host has changed it since, and no update device brought that here";

bool use_outdated(Region &region, size_t offset, size_t bytes, Access access, const void *pc) {
    uint32_t old = few_bits(region.outdated, offset, bytes);
    if (!old) return false;
    const char *here = address_of(region, offset), *there = host_of(here);
    put_few_bits(region.outdated, offset, bytes, 0);
    put_few_bits(region.written, offset, bytes, few_bits(region.written, offset, bytes) | old);
    if (!there || std::memcmp(here, there, bytes) == 0) return false;
    report({.kind = "stale", .pc = pc, .address = here, .bytes = bytes, .access = access, .detail = not_updated});
    return true;
}

bool copy_of_outdated(const Region &shared, size_t offset, Access access, const void *pc) {
    const char *source = shared.origins[offset].source;
    if (!source || !state.device.covers(source) || !few_bits(state.device.outdated, state.device.offset(source), 1))
        return false;
    const char *there = host_of(source);
    if (there && *there != *source)
        report({.kind = "stale", .pc = pc, .address = source, .bytes = 1, .access = access, .detail = not_updated});
    return true;
}

void report_race_of_copy(uintptr_t device, const Cell &, bool written) {
    const char *address = reinterpret_cast<const char *>(device);
    const char *memory = host_of(address);
    Pair pair{reinterpret_cast<uintptr_t>(memory), 1, address};
    if (const Pair *known = memory ? pair_at(pair.host) : nullptr) pair = *known;
    tell("race", pair, reinterpret_cast<uintptr_t>(memory), 4, written ? Access::write : Access::read, nullptr,
         "this copy and a kernel or another copy are in two queues, and neither waits for the other");
}

// Whether a byte of what a directive calls `name` holds part of a value; where its type is not known, all may.
static bool holds_value(const std::vector<bool> &values, size_t within) {
    return values.empty() || values[within % values.size()];
}

// A copy to the host undoes what the host has written since the device had it, unless that has the same values.
void before_copy(const void *to, const void *from, size_t bytes) {
    Region &device = state.device;
    const char *own = static_cast<const char *>(to), *copy = static_cast<const char *>(from);
    if (!device.reserved || !device.covers(from) || host_of(copy) != own) return;
    const Pair &pair = *pair_at(reinterpret_cast<uintptr_t>(to));
    size_t within = static_cast<size_t>(copy - pair.device), offset = device.offset(from);
    bytes = std::min(bytes, pair.bytes - within);
    Place place = named(pair.device);
    std::vector<bool> values = compare::bytes_of_values(place.name, place.element_bytes);
    for (size_t i = 0; i < bytes; ++i) {
        size_t part = std::min(alike, bytes - i);
        bool skips = i % alike == 0 && (!get_bits(device.outdated, offset + i, part) || !std::memcmp(own + i, copy + i, part));
        if (skips) {
            i += part - 1;
            continue;
        }
        if (own[i] == copy[i] || !few_bits(device.outdated, offset + i, 1) || !holds_value(values, within + i)) continue;
        return tell("stale", pair, pair.host + within + i, 1, Access::write, nullptr,
                    "the host has changed it since, no update device brought that there, and this copy undoes it");
    }
}

// Which bytes of elements hold values. Where their type is not known: the first, and those that some element has written.
static std::vector<bool> values_in(const char *name, size_t element, size_t within, size_t offset, size_t bytes) {
    std::vector<bool> values = compare::bytes_of_values(name, element);
    if (!values.empty()) return values;
    values.assign(element, false);
    values[0] = true;
    for (size_t i = 0; i < bytes; ++i)
        if (few_bits(state.device.written, offset + i, 1)) values[(within + i) % element] = true;
    return values;
}

static bool are_written(size_t offset, size_t bytes) {
    for (size_t i = 0; i < bytes; i += 64) {
        size_t part = std::min<size_t>(64, bytes - i);
        if (get_bits(state.device.written, offset + i, part) != low_bits(part)) return false;
    }
    return true;
}

// All of what a directive brings to the host must have been written: else the host gets what happened to be there.
void fetched(const void *memory, size_t bytes, const char *name) {
    const Pair *pair = pair_at(reinterpret_cast<uintptr_t>(memory));
    if (!pair || !state.device.reserved) return;
    size_t within = reinterpret_cast<uintptr_t>(memory) - pair->host, offset = state.device.offset(pair->device + within);
    if (are_written(offset, bytes)) return;
    size_t unit = named(pair->device).element_bytes;
    bool knows_type = unit > 1 || !compare::bytes_of_values(name, 1).empty();
    // Bytes that a routine of openacc.h has mapped may be those of a structure: padding has less than eight in a row.
    if (!knows_type) unit = 8;
    std::vector<bool> values = knows_type ? values_in(name, unit, within, offset, bytes) : std::vector<bool>(unit, true);
    size_t first = 0, count = 0, in_part = 0;
    for (size_t i = 0; i < bytes;) {
        size_t end = std::min(bytes, i + unit - (within + i) % unit), missing = 0, there = 0;
        for (size_t byte = i; byte < end; ++byte)
            if (values[(within + byte) % unit]) ++(few_bits(state.device.written, offset + byte, 1) ? there : missing);
        if (missing && (knows_type || !there)) {
            if (count++ == 0) first = i;
            in_part += there != 0;
        }
        i = end;
    }
    if (count == 0) return;
    std::string detail = "of " + std::to_string((bytes + unit - 1) / unit) + " elements that come to the host here, " +
                         std::to_string(count) + " were never written on the device" +
                         (in_part ? ", or in part only" : "") +
                         ": bring home what is written alone, or copy them in, too";
    report_on_host({.kind = "unwritten", .pc = nullptr, .bytes = unit, .detail = detail.c_str()}, name,
                   (within + first) / unit, unit, pair->bytes);
}

}  // namespace accache_cpu::check
