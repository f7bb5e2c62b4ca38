#include "queues.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../check.h"
#include "access.h"
#include "host.h"
#include "races.h"
#include "state.h"

namespace accache_cpu::check {

using Stream = const void *;
using Known = std::map<Stream, uint64_t>;  // how many operations of each stream are over

// A launch or copy: the first phase of it, and which one of its stream it is.
struct Operation {
    uint64_t phase;
    Stream stream;
    uint64_t number;
};

struct Queue {
    uint64_t issued = 0;
    Known known;
    bool blocking = true;  // it and the default stream wait for each other
};

// Memory of the host that a stream uses until it has come so far.
struct Pending {
    uintptr_t start;
    size_t bytes;
    Stream stream;
    uint64_t number;
    bool written;
    std::string name;
    size_t element, element_bytes, array_bytes;
};

struct Queues {
    std::map<Stream, Queue> all;
    std::map<Stream, Known> events;
    Known host;
    std::vector<Operation> unfinished;  // as far as the host knows, and the first of those over behind each
    std::vector<Pending> pending;
    Stream now = nullptr;
    bool host_waits = true;
    bool several = false;  // another stream than the default one was used
};

static Queues &queues() {
    static auto *all = new Queues;
    return *all;
}

static void learn(Known &known, const Known &other) {
    for (auto [stream, number] : other) known[stream] = std::max(known[stream], number);
}

// An operation that is over stays where one before it is not: else its accesses would seem to be that one's.
static void forget_finished() {
    Queues &q = queues();
    auto over = [&](const auto &item) { return q.host[item.stream] >= item.number; };
    std::vector<Operation> kept;
    bool behind_finished = true;
    for (const Operation &operation : q.unfinished) {
        bool finished = over(operation);
        if (!finished || !behind_finished) kept.push_back(operation);
        behind_finished = finished;
    }
    q.unfinished = std::move(kept);
    q.pending.erase(std::remove_if(q.pending.begin(), q.pending.end(), over), q.pending.end());
}

void new_queue(const void *stream, bool blocking) { queues().all[stream].blocking = blocking; }

void enqueue(const void *stream, bool waits) {
    Queues &q = queues();
    q.several = q.several || stream;
    q.now = stream;
    q.host_waits = waits;
    if (!q.several) return;
    Queue &mine = q.all[stream];
    learn(mine.known, q.host);
    for (auto &[other, queue] : q.all) {  // what the default stream and the blocking ones wait for
        if (other == stream || (stream && other) || !(stream ? mine : queue).blocking) continue;
        learn(mine.known, queue.known);
        mine.known[other] = std::max(mine.known[other], queue.issued);
    }
    mine.known[stream] = mine.issued++;
    q.unfinished.push_back({state.phase + 1, stream, mine.issued});
    if (waits) host_waits(stream);
}

void host_waits(const void *stream) {
    Queues &q = queues();
    if (!q.several) return;
    Queue &queue = q.all[stream];
    learn(q.host, queue.known);
    q.host[stream] = queue.issued;
    if (!stream)
        for (auto &[other, blocking] : q.all)
            if (other && blocking.blocking) q.host[other] = blocking.issued;
    forget_finished();
}

void host_waits_for_all() {
    Queues &q = queues();
    for (auto &[stream, queue] : q.all) q.host[stream] = queue.issued;
    q.unfinished.clear();
    q.pending.clear();
}

void record_event(const void *event, const void *stream) {
    Queue &queue = queues().all[stream];
    Known &known = queues().events[event];
    known = queue.known;
    known[stream] = queue.issued;
}

void wait_for_event(const void *event, const void *stream) {
    Queues &q = queues();
    const Known &known = q.events[event];
    learn(stream ? q.all[stream].known : q.host, known);
    if (!stream) forget_finished();
}

static bool is_known(const Operation &operation) {
    Queues &q = queues();
    if (operation.stream == q.now) return true;
    const Known &known = q.all[q.now].known;
    auto found = known.find(operation.stream);
    return found != known.end() && found->second >= operation.number;
}

Stamp start_of_unfinished(Stamp otherwise) {
    for (const Operation &operation : queues().unfinished)  // in the order of their phases
        if (!is_known(operation)) return std::min(otherwise, operation.phase << phase_shift);
    return otherwise;
}

bool of_other_queue(Stamp stamp) {
    const Operation *of = nullptr;
    for (const Operation &operation : queues().unfinished)
        if (operation.phase <= phase_of(stamp)) of = &operation;
    return of && !is_known(*of);
}

static void mark(Cell &cell, Stamp stamp, bool written) {
    if (!written) {
        // What a kernel wrote before is known on both sides; another queue may still race with it.
        cell.write = stamp && cell.write ? (cell.write & ~flags) | by_copy : 0;
        if (stamp && cell.read >= state.queue_start && of_other_queue(cell.read))
            cell.read_before = cell.read, reader_before(cell) = cell.read_pc;
        cell.read = stamp, cell.read_pc = 0;
    } else if (stamp || cell.write) {
        cell.write = stamp, cell.write_pc = 0;
    }
}

static bool conflicts(const Cell &cell, bool written) {
    if (cell.write >= state.queue_start && of_other_queue(cell.write)) return true;
    if (!written) return false;
    for (Stamp read : {cell.read, cell.read_before})
        if (read >= state.queue_start && of_other_queue(read)) return true;
    return false;
}

// The device's end of a copy. With one stream nobody asks when it was, only that both sides are alike now.
static void mark_device(const void *address, size_t bytes, bool written) {
    Region &device = state.device;
    Stamp stamp = 0;
    if (queues().several) {
        stamp = ++state.phase << phase_shift | by_copy;
        state.queue_start = start_of_unfinished(stamp);
    }
    bool told = false;
    size_t first = device.offset(address), end = first + bytes;
    for (size_t i = first; i < end;) {
        bool whole = i % 4 == 0 && i + 4 <= end && device.words[i / 4].write != split;
        Cell &word = device.words[i / 4];
        if (whole && !stamp && !word.write) {
            i += 4;
            continue;
        }
        Cell &cell = whole ? word : cell_of_byte(device, i);
        if (stamp && !told && conflicts(cell, written)) {
            told = true;
            report_race_of_copy(device.base + i, cell, written);
        }
        mark(cell, stamp, written);
        i += whole ? 4 : 1;
    }
}

void copied_by_queue(const void *to, const void *from, size_t bytes) {
    Queues &q = queues();
    Region &device = state.device;
    if (!device.reserved) return;
    if (device.covers(from)) mark_device(from, bytes, false);
    if (device.covers(to)) mark_device(to, bytes, true);
    bool down = device.covers(from) && !device.covers(to), up = device.covers(to) && !device.covers(from);
    if (down) {  // both sides are alike again
        size_t first = device.offset(from);
        add_bits(device.written, first, device.outdated, first, bytes);
        set_bits(device.outdated, first, bytes, false);
    }
    if (!q.several || q.host_waits || !(up || down) || !knows_directives()) return;
    const void *host = up ? from : to;
    Place place = place_of(up ? to : from);
    size_t unit = place.element_bytes ? place.element_bytes : 1;
    q.pending.push_back({reinterpret_cast<uintptr_t>(host), bytes, q.now, q.all[q.now].issued, down, place.name,
                         static_cast<size_t>(place.byte_offset) / unit, unit, place.array_bytes});
}

void left_by_queue(const void *host, size_t bytes) {
    Queues &q = queues();
    if (q.several && q.now && knows_directives())
        q.pending.push_back(
            {reinterpret_cast<uintptr_t>(host), bytes, q.now, q.all[q.now].issued, true, "", 0, bytes, bytes});
}

bool has_unfinished() { return !queues().pending.empty(); }

bool tell_of_unfinished(const void *host, size_t bytes, Access access, const void *pc) {
    uintptr_t start = reinterpret_cast<uintptr_t>(host);
    for (const Pending &item : queues().pending) {
        bool meets = start < item.start + item.bytes && item.start < start + bytes;
        if (!meets || !(item.written || !only_reads(access))) continue;
        size_t element = item.element + (start > item.start ? (start - item.start) / item.element_bytes : 0);
        report_on_host({.kind = "unfinished", .pc = pc, .bytes = bytes, .access = access,
                        .detail = "a queue may still be at it: nobody has waited for the queue"},
                       item.name.c_str(), element, item.element_bytes, item.array_bytes);
        return true;
    }
    return false;
}

}  // namespace accache_cpu::check
