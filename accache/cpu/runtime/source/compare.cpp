#include "compare.h"

#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

#include "accache_cpu/host_api.h"
#include "check.h"
#include "unwritten.h"

namespace accache_cpu::compare {

// One value in an element of an array: where, of which kind (i, u, f, p: never compared, b: bits), and its bytes. In
// capitals: alone it may be the pointer that the same name stands for.
struct Value {
    size_t offset;
    char kind;
    size_t bytes;
};

// What is compared: memory of the host, under the name and in the place where a directive moves it.
struct Item {
    char what;  // S: a section, R: the result of a reduction, W: the element that is watched
    const char *file;
    int line;
    const char *name;
    const char *memory;
    size_t offset;  // in bytes from the start of its array
    size_t bytes, element;
    char kind;  // of R and W: that of their values
};

struct Mapped {
    size_t number;  // of those made before
    uintptr_t host;
    const char *device;
    size_t bytes, element;
};

// The element whose value is told after each construct, in the second run.
struct Watched {
    size_t mapping, offset, bytes;
    char kind;
};

struct Session {
    bool sequential = false;
    FILE *records = nullptr;  // what the sequential program wrote; null: nothing is compared, or no longer
    FILE *report = nullptr;
    double bound = 0;
    bool watching = false;
    Watched watched{};
    const char *file = "";
    int line = 0;
    bool deferring = false;  // in a construct of the sequential program, which has not been executed yet
    std::vector<Item> deferred;
    std::map<uintptr_t, Mapped> mapped;  // by host address
    size_t mappings = 0;
    std::map<std::string, std::vector<Value>> layouts;
};

static const char *setting(const char *name) {
    const char *text = std::getenv(name);
    return text && *text ? text : nullptr;
}

// Lines "LINE NAME BYTES OFFSET:KINDBYTES ...", the fields before the values parted by tabs; and "LINE NAME out" where
// a directive says that something comes back to the host.
static void read_layouts(Session &session, const char *path) {
    FILE *file = std::fopen(path, "r");
    if (!file) return;
    char line[1 << 16];
    while (std::fgets(line, sizeof line, file)) {
        char *values = std::strrchr(line, '\t');
        if (!values) continue;
        *values++ = 0;
        std::vector<Value> &layout = session.layouts[line];
        if (!layout.empty()) continue;
        size_t offset, bytes;
        char kind;
        for (int length; std::sscanf(values, " %zu:%c%zu%n", &offset, &kind, &bytes, &length) == 3; values += length)
            layout.push_back({offset, kind, bytes});
    }
    std::fclose(file);
}

static std::string executable() {
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    return length > 0 ? std::string(path, static_cast<size_t>(length)) : "";
}

static Session *make_session() {
    auto *session = new Session;
    const char *record = setting("ACCACHE_CPU_VALUES"), *compare = setting("ACCACHE_CPU_COMPARE");
    if (check::enabled && !compare) read_layouts(*session, (executable() + ".layouts").c_str());
    if (!record && !compare) return session;
    session->sequential = record != nullptr;
    session->records = std::fopen(record ? record : compare, record ? "wb" : "rb");
    if (const char *report = setting("ACCACHE_CPU_DIFFERENCES")) session->report = std::fopen(report, "w");
    if (const char *bound = setting("ACCACHE_CPU_BOUND")) session->bound = std::atof(bound);
    if (const char *layouts = setting("ACCACHE_CPU_LAYOUTS")) read_layouts(*session, layouts);
    if (const char *watch = setting("ACCACHE_CPU_WATCH"))
        session->watching = std::sscanf(watch, "%zu:%zu:%zu:%c", &session->watched.mapping, &session->watched.offset,
                                        &session->watched.bytes, &session->watched.kind) == 4;
    return session;
}

static Session &session() {
    static Session *all = make_session();
    return *all;
}

bool is_sequential() { return session().sequential; }

// ---- The values of an element ----

// That of memory which a directive calls `name`; null if it is not known.
static const std::vector<Value> *known_layout(const char *name, size_t element, int directive) {
    Session &now = session();
    char key[512];
    for (int line : {directive, 0}) {
        std::snprintf(key, sizeof key, "%d\t%s\t%zu", line, name, element);
        auto found = now.layouts.find(key);
        if (found != now.layouts.end()) return &found->second;
    }
    return nullptr;
}

static const std::vector<Value> &layout_of(const Item &item) {
    const std::vector<Value> *known = item.what == 'S' ? known_layout(item.name, item.element, item.line) : nullptr;
    if (known) return *known;
    static std::vector<Value> single;
    single = {{0, item.kind, item.element}};
    return single;
}

// The rest of a long double is padding.
static size_t bytes_that_count(const Value &value) { return value.kind == 'f' && value.bytes == 16 ? 10 : value.bytes; }

std::vector<bool> bytes_of_values(const char *name, size_t element) {
    const std::vector<Value> *known = known_layout(name, element, session().line);
    if (!known) return {};
    std::vector<bool> bytes(element);
    for (const Value &value : *known)
        for (size_t i = 0; i < bytes_that_count(value) && value.offset + i < element; ++i) bytes[value.offset + i] = true;
    return bytes;
}

static double number(const char *memory, const Value &value) {
    if (value.bytes == 4) {
        float single;
        std::memcpy(&single, memory, 4);
        return single;
    }
    if (value.bytes == 8) {
        double twice;
        std::memcpy(&twice, memory, 8);
        return twice;
    }
    long double longest;
    std::memcpy(&longest, memory, 10);
    return static_cast<double>(longest);
}

static bool is_address(const char *memory) {
    uint64_t value;
    std::memcpy(&value, memory, 8);
    return value == 0 || (value >> 32 && value >> 47 == 0);
}

static bool agree(const char *one, const char *other, Value value, bool is_alone) {
    if (std::isupper(value.kind)) {
        if (is_alone && is_address(one) && is_address(other)) return true;
        value.kind = static_cast<char>(std::tolower(value.kind));
    }
    if (value.kind == 'p' || std::memcmp(one, other, bytes_that_count(value)) == 0) return true;
    if (value.kind != 'f') return false;
    double a = number(one, value), b = number(other, value);
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return std::fabs(a - b) <= session().bound * std::fmax(std::fabs(a), std::fabs(b));
}

static std::string text_of(const char *memory, Value value) {
    value.kind = static_cast<char>(std::tolower(value.kind));
    char text[80];
    long long whole = 0;
    if (value.kind == 'f') {
        int digits = value.bytes == 4 ? 9 : 17;
        std::snprintf(text, sizeof text, "%.*g", digits, number(memory, value));
        return text;
    }
    if (value.bytes <= 8 && value.kind != 'b') {
        std::memcpy(&whole, memory, value.bytes);
        unsigned unused = static_cast<unsigned>(64 - 8 * value.bytes);
        if (value.kind == 'i') std::snprintf(text, sizeof text, "%lld", static_cast<long long>(static_cast<uint64_t>(whole) << unused) >> unused);
        else std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(whole));
        return text;
    }
    std::string bits = "0x";
    for (size_t i = value.bytes < 16 ? value.bytes : 16; i-- > 0;) {
        std::snprintf(text, sizeof text, "%02x", static_cast<unsigned char>(memory[i]));
        bits += text;
    }
    return bits;
}

// ---- Records ----

struct Head {
    char what;
    int line;
    size_t names, offset, bytes;  // names: of the file and the variable, with a line break between them
};

static std::string names_of(const Item &item) { return std::string(item.file) + '\n' + item.name; }

static void write_record(const Item &item) {
    std::string names = names_of(item);
    Head head{};
    head.what = item.what, head.line = item.line, head.names = names.size();
    head.offset = item.offset, head.bytes = item.bytes;
    FILE *file = session().records;
    bool written = std::fwrite(&head, sizeof head, 1, file) == 1 &&
                   std::fwrite(names.data(), 1, names.size(), file) == names.size() &&
                   std::fwrite(item.memory, 1, item.bytes, file) == item.bytes &&
                   std::fflush(file) == 0;  // the program may crash before it ends
    if (written) return;
    std::fprintf(stderr, "accache-cpu: cannot write what the sequential program computes\n");
    std::_Exit(EXIT_FAILURE);
}

static std::string quoted(const std::string &text) {
    std::string result = "\"";
    for (char character : text) {
        if (character == '"' || character == '\\') result += '\\';
        result += static_cast<unsigned char>(character) < ' ' ? ' ' : character;
    }
    return result + '"';
}

// One difference is told: those behind it may follow from it.
static void stop() {
    Session &now = session();
    std::fclose(now.records);
    now.records = nullptr;
    if (now.report) std::fclose(now.report);
    now.report = nullptr;
}

static void tell_of_order(const Item *item, const Head *head, const std::string &names) {
    Session &now = session();
    if (!now.report) return stop();
    auto part = [&](const char *what, const char *file, int line, const char *name, size_t bytes) {
        std::fprintf(now.report, ", \"%s\": {\"file\": %s, \"line\": %d, \"name\": %s, \"bytes\": %zu}", what,
                     quoted(file).c_str(), line, quoted(name).c_str(), bytes);
    };
    std::fprintf(now.report, "{\"type\": \"order\"");
    size_t end = names.find('\n');
    if (item) part("own", item->file, item->line, item->name, item->bytes);
    if (head) part("sequential", names.substr(0, end).c_str(), head->line, names.substr(end + 1).c_str(), head->bytes);
    std::fprintf(now.report, "}\n");
    stop();
}

static void tell_of_difference(const Item &item, size_t first, const Value &value, const char *expected, size_t count) {
    Session &now = session();
    if (!now.report) return stop();
    size_t place = first * item.element + value.offset;
    std::fprintf(now.report, "{\"type\": \"%s\", \"file\": %s, \"line\": %d, \"name\": %s, \"element\": %zu, "
                 "\"member\": %zu, \"own\": %s, \"sequential\": %s, \"count\": %zu, \"elements\": %zu",
                 item.what == 'R' ? "result" : item.what == 'W' ? "watched" : "section", quoted(item.file).c_str(),
                 item.line, quoted(item.name).c_str(), item.offset / item.element + first, value.offset,
                 quoted(text_of(item.memory + place, value)).c_str(), quoted(text_of(expected + place, value)).c_str(),
                 count, item.bytes / item.element);
    uintptr_t address = reinterpret_cast<uintptr_t>(item.memory) + place;
    auto behind = now.mapped.upper_bound(address);
    if (behind != now.mapped.begin()) {
        const Mapped &mapped = std::prev(behind)->second;
        if (address - mapped.host < mapped.bytes)
            std::fprintf(now.report, ", \"watch\": \"%zu:%zu:%zu:%c\"", mapped.number, address - mapped.host, value.bytes,
                         std::tolower(value.kind));
    }
    std::fprintf(now.report, "}\n");
    stop();
}

static void compare_elements(const Item &item, const char *expected) {
    if (std::memcmp(item.memory, expected, item.bytes) == 0) return;
    const std::vector<Value> &layout = layout_of(item);
    size_t first = 0, count = 0;
    const Value *where = nullptr;
    for (size_t k = 0; k < item.bytes / item.element; ++k) {
        const char *own = item.memory + k * item.element, *other = expected + k * item.element;
        const Value *differs = nullptr;
        for (const Value &value : layout)
            if (!differs && !agree(own + value.offset, other + value.offset, value, item.bytes == 8)) differs = &value;
        if (differs && count++ == 0) first = k, where = differs;
    }
    if (where) tell_of_difference(item, first, *where, expected, count);
}

static void compare_with_record(const Item &item) {
    Head head;
    std::string names;
    FILE *file = session().records;
    if (std::fread(&head, sizeof head, 1, file) != 1) return tell_of_order(&item, nullptr, names);
    names.resize(head.names);
    std::vector<char> expected(head.bytes);
    if (std::fread(&names[0], 1, head.names, file) != head.names ||
        std::fread(expected.data(), 1, head.bytes, file) != head.bytes)
        return tell_of_order(&item, nullptr, "");
    bool same = head.what == item.what && head.line == item.line && head.bytes == item.bytes && names == names_of(item);
    if (!same) return tell_of_order(&item, &head, names);
    compare_elements(item, expected.data());
}

static void observe(const Item &item) {
    Session &now = session();
    if (!now.records || item.bytes == 0 || (now.watching && item.what != 'W')) return;
    if (now.deferring) now.deferred.push_back(item);
    else if (now.sequential) write_record(item);
    else compare_with_record(item);
}

// The watched element, as it is on the device; for the sequential program there is none but the host's.
static void observe_watched() {
    Session &now = session();
    if (!now.watching) return;
    const Watched &watched = now.watched;
    for (const auto &[host, mapped] : now.mapped) {
        if (mapped.number != watched.mapping) continue;
        const char *memory = now.sequential ? reinterpret_cast<const char *>(host) : mapped.device;
        observe({'W', now.file, now.line, "", memory + watched.offset, 0, watched.bytes, watched.bytes,
                 watched.kind});
    }
}

static __attribute__((destructor)) void at_end_of_process() {
    Session &now = session();
    if (!now.records) return;
    Head head;
    if (!now.sequential && std::fread(&head, sizeof head, 1, now.records) == 1) {
        std::string names(head.names, ' ');
        if (std::fread(&names[0], 1, head.names, now.records) == head.names)
            return tell_of_order(nullptr, &head, names);
    }
    std::fclose(now.records);
}

}  // namespace accache_cpu::compare

using namespace accache_cpu::compare;

extern "C" {

int accache_cpu_is_sequential(void) { return is_sequential(); }

void accache_cpu_at(const char *file, int line) {
    session().file = file;
    session().line = line;
    accache_cpu::check::at(file, line);
}

void accache_cpu_mapped(const void *host, const void *device, size_t bytes) {
    Session &now = session();
    uintptr_t address = reinterpret_cast<uintptr_t>(host);
    now.mapped[address] = {++now.mappings, address, static_cast<const char *>(device), bytes, 1};
    if (!now.sequential) accache_cpu::check::mapped(host, device, bytes);
}

void accache_cpu_unmapped(const void *host) {
    session().mapped.erase(reinterpret_cast<uintptr_t>(host));
    if (!session().sequential) accache_cpu::check::unmapped(host);
}

void accache_cpu_element(const void *host, size_t element_bytes) {
    auto found = session().mapped.find(reinterpret_cast<uintptr_t>(host));
    if (found != session().mapped.end() && element_bytes) found->second.element = element_bytes;
}

static size_t element_of(const void *host) {
    Session &now = session();
    auto behind = now.mapped.upper_bound(reinterpret_cast<uintptr_t>(host));
    return behind != now.mapped.begin() ? std::prev(behind)->second.element : 1;
}

static void observe_section(const void *host, size_t bytes, const void *array, const char *name) {
    Session &now = session();
    if (!now.records) return;
    const char *first = static_cast<const char *>(host);
    size_t element = element_of(host);
    size_t offset = static_cast<size_t>(first - static_cast<const char *>(array));
    if (bytes % element || offset % element) element = 1;
    observe({'S', now.file, now.line, name, first, offset, bytes, element, 'b'});
}

void accache_cpu_downloaded(const void *host, size_t bytes, const void *array, const char *name) {
    Session &now = session();
    if (!now.sequential) {
        accache_cpu::check::fetched(host, bytes, name);
        accache_cpu::tell_of_unwritten(host, bytes, element_of(host), name, now.file, now.line);
    }
    observe_section(host, bytes, array, name);
}

// What the directive says shall come back is compared as if it had.
void accache_cpu_dropped(const void *host, size_t bytes, const char *name) {
    char key[512];
    std::snprintf(key, sizeof key, "%d\t%s\tout", session().line, name);
    if (session().layouts.count(key)) observe_section(host, bytes, host, name);
}

void accache_cpu_result(const void *host, size_t count, size_t element_bytes, char kind) {
    Session &now = session();
    if (!now.sequential) accache_cpu::check::left_by_queue(host, count * element_bytes);
    observe({'R', now.file, now.line, "", static_cast<const char *>(host), 0, count * element_bytes, element_bytes, kind});
}

void accache_cpu_region_ends(void) { observe_watched(); }

void accache_cpu_defer(void) { session().deferring = session().sequential; }

void accache_cpu_settle(void) {
    Session &now = session();
    now.deferring = false;
    std::vector<Item> items;
    items.swap(now.deferred);
    for (const Item &item : items) observe(item);
}
}
