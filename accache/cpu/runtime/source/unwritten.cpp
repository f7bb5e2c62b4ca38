#include "unwritten.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <tuple>

#include "check.h"

namespace accache_cpu {

// A quiet NaN as a float, and two of them as a double. No other number of a program is likely to be this one.
static constexpr uint32_t unwritten = 0x7ffa51ed;

static bool is_marked() {
    static const bool found = !check::enabled && !std::getenv("ACCACHE_CPU_CAPTURE");
    return found;
}

void mark_unwritten(char *memory, size_t bytes) {
    if (!is_marked()) return;
    for (; bytes >= sizeof unwritten; memory += sizeof unwritten, bytes -= sizeof unwritten)
        std::memcpy(memory, &unwritten, sizeof unwritten);
}

// Nobody writes a structure's padding: all that an element has must be marked.
static bool is_unwritten(const char *element, size_t bytes) {
    for (size_t first = 0; first + sizeof unwritten <= bytes; first += sizeof unwritten)
        if (std::memcmp(element + first, &unwritten, sizeof unwritten) != 0) return false;
    return bytes >= sizeof unwritten;
}

static size_t count_unwritten(const char *memory, size_t bytes, size_t element) {
    size_t count = 0;
    for (size_t first = 0; first + element <= bytes; first += element) count += is_unwritten(memory + first, element);
    return count;
}

void tell_of_unwritten(const void *host, size_t bytes, size_t element, const char *name, const char *file, int line) {
    if (!is_marked()) return;
    const size_t count = count_unwritten(static_cast<const char *>(host), bytes, element);
    if (!count) return;
    static std::mutex mutex;
    static auto *told = new std::set<std::tuple<std::string, int, std::string>>;
    std::lock_guard<std::mutex> lock(mutex);
    if (!told->emplace(file, line, name).second) return;
    std::fflush(stdout);
    std::fprintf(stderr,
                 "accache-cpu: warning: %s:%d: %zu of the %zu elements of '%s' that come to the host here were never written on "
                 "the device, or were computed from memory that was not: accache run --check tells where\n",
                 file, line, count, bytes / element, name);
}

}  // namespace accache_cpu
