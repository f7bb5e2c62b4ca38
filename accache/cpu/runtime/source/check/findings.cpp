#include "findings.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "../scheduler.h"
#include "alone.h"
#include "counters.h"
#include "host.h"
#include "state.h"

namespace accache_cpu::check {

static constexpr size_t most_findings = 200;

struct Seen {
    size_t number;
    uint64_t times;
};
using Key = std::tuple<std::string, Access, const void *, uint32_t>;

static std::map<Key, Seen> &seen() {
    static auto *all = new std::map<Key, Seen>;
    return *all;
}

static FILE *output() {
    static FILE *file = [] {
        const char *path = std::getenv("ACCACHE_CPU_FINDINGS");
        FILE *opened = path && *path ? std::fopen(path, "a") : nullptr;
        return opened ? opened : stderr;
    }();
    return file;
}

void find_anew(const char *path) {
    seen().clear();
    if (!std::freopen(path, "w", output())) std::abort();
}

static std::string quoted(const char *text) {
    std::string result = "\"";
    for (; *text; ++text) {
        if (*text == '"' || *text == '\\') result += '\\';
        result += static_cast<unsigned char>(*text) < ' ' ? ' ' : *text;
    }
    return result + '"';
}

static const char *word(Access access) {
    return access == Access::read ? "read" : access == Access::write ? "write" : "atomic";
}

static void write_position(const char *what, uint3 position) {
    std::fprintf(output(), ", \"%s\": [%u, %u, %u]", what, position.x, position.y, position.z);
}

static uint3 thread_position(unsigned thread) {
    const dim3 &shape = state.launch->request->block;
    return {thread % shape.x, thread / shape.x % shape.y, thread / shape.x / shape.y};
}

static void write_place(const Finding &finding, const Place &place) {
    std::fprintf(output(),
                 ", \"access\": \"%s\", \"bytes\": %zu, \"memory\": \"%s\", \"array\": %s, \"offset\": %lld, "
                 "\"array_bytes\": %zu, \"element_bytes\": %zu, \"first_byte\": %lld",
                 word(finding.access), finding.bytes, place.memory, quoted(place.name).c_str(), place.byte_offset,
                 place.array_bytes, place.element_bytes, static_cast<long long>(place.first_byte));
}

static void write_finding(const Finding &finding, const Place &place, size_t number) {
    std::fprintf(output(), "{\"type\": \"finding\", \"number\": %zu, \"kind\": \"%s\", \"kernel\": %s, "
                 "\"launch\": %zu, \"pc\": %zu",
                 number, finding.kind, quoted(state.launch->request->name).c_str(),
                 static_cast<size_t>(state.launch->number), reinterpret_cast<size_t>(finding.pc));
    write_position("block", blockIdx);
    unsigned running = static_cast<unsigned>(state.thread - state.threads);
    write_position("thread", thread_position(finding.thread < 0 ? running : static_cast<unsigned>(finding.thread)));
    if (finding.used_at) {
        std::fprintf(output(), ", \"use_pc\": %zu", reinterpret_cast<size_t>(finding.used_at));
        write_position("use_thread", thread_position(running));
    }
    if (finding.address) write_place(finding, place);
    if (finding.other_pc) std::fprintf(output(), ", \"other_pc\": %u", finding.other_pc);
    if (finding.address && std::string(finding.kind) == "race")
        std::fprintf(output(), ", \"other_access\": \"%s\"", word(finding.other_access));
    if (finding.has_other) {
        write_position("other_block", block_position(*state.launch, finding.other_block));
        write_position("other_thread", thread_position(finding.other_thread));
    }
    std::fprintf(output(), ", \"detail\": %s}\n", quoted(finding.detail).c_str());
    std::fflush(output());
}

void report_on_host(const Finding &finding, const char *name, size_t element, size_t element_bytes,
                    size_t array_bytes) {
    static std::set<std::tuple<std::string, const void *, std::string, int>> known;
    const HostPlace &here = host_place();
    int line = finding.pc ? 0 : here.line;
    if (runs_some_threads_only()) return;  // what the others would have left is missing
    if (!known.insert({finding.kind, finding.pc, name, line}).second || known.size() > most_findings) return;
    std::fprintf(output(), "{\"type\": \"finding\", \"number\": %zu, \"kind\": \"%s\", \"kernel\": \"\", \"pc\": %zu",
                 most_findings + known.size(), finding.kind, reinterpret_cast<size_t>(finding.pc));
    if (!finding.pc) std::fprintf(output(), ", \"file\": %s, \"line\": %d", quoted(here.file).c_str(), here.line);
    std::fprintf(output(), ", \"access\": \"%s\", \"bytes\": %zu, \"memory\": \"host\", \"array\": %s, \"offset\": %zu, "
                 "\"array_bytes\": %zu, \"element_bytes\": %zu, \"detail\": %s}\n",
                 word(finding.access), finding.bytes, quoted(name).c_str(), element * element_bytes, array_bytes,
                 element_bytes, quoted(finding.detail).c_str());
    std::fflush(output());
}

static void report_once(Finding finding) {
    if (!is_told(*state.launch)) return;
    Place place = finding.address ? place_of(finding.address) : Place{};
    if (place.freed) finding.kind = "use-after-free";
    Key key{finding.kind, finding.access, finding.pc, finding.other_pc};
    auto known = seen().find(key);
    if (known != seen().end()) {
        ++known->second.times;
        return;
    }
    if (seen().size() >= most_findings) return;
    size_t number = seen().size();
    seen()[key] = {number, 1};
    write_finding(finding, place, number);
}

void report(const Finding &finding) {
    bool in_kernel = state.in_kernel;
    state.in_kernel = false;  // what follows is no access of the kernel's
    report_once(finding);
    state.in_kernel = in_kernel;
}

static void write_counters(const char *name, const Counters &c) {
    std::fprintf(output(),
                 ", \"%s\": {\"global_loads\": %zu, \"global_stores\": %zu, \"global_atomics\": %zu, "
                 "\"shared_loads\": %zu, \"shared_stores\": %zu, \"shared_atomics\": %zu}",
                 name, c.global_loads, c.global_stores, c.global_atomics, c.shared_loads, c.shared_stores,
                 c.shared_atomics);
}

void write_summary() {
    static bool done = false;
    if (done || output() == stderr) return;
    done = true;
    for (const auto &[key, value] : seen())
        std::fprintf(output(), "{\"type\": \"count\", \"number\": %zu, \"times\": %zu}\n", value.number,
                     static_cast<size_t>(value.times));
    for (const auto &[name, kernel] : kernel_counters()) {
        std::fprintf(output(), "{\"type\": \"kernel\", \"kernel\": %s, \"launches\": %zu", quoted(name.c_str()).c_str(),
                     static_cast<size_t>(kernel.launches));
        write_counters("own", kernel.own);
        write_counters("copying", kernel.copying);
        std::fprintf(output(), "}\n");
    }
    std::fflush(output());
}

static __attribute__((destructor)) void at_end_of_process() { write_summary(); }

}  // namespace accache_cpu::check
