#include "symbols.h"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace accache_cpu::check {

static std::string executable() {
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    return length > 0 ? std::string(path, static_cast<size_t>(length)) : "";
}

// Lines of: kind, start (hexadecimal), size, name, and of a shared array its kernel and where that starts; separated by
// tabs.
static Symbols read_symbols() {
    Symbols found;
    std::ifstream file(executable() + ".symbols");
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string kind, name;
        NamedRange range{};
        words >> kind >> std::hex >> range.start >> std::dec >> range.bytes;
        words.ignore(1);
        std::getline(words, range.name, '\t');
        std::getline(words, range.kernel, '\t');
        words >> std::hex >> range.function;
        if (kind == "shared") found.shared.push_back(range);
        else if (kind == "variable") found.variables.push_back(range);
        else if (kind == "host") found.host.push_back(range);
        else if (kind == "copy") found.copy_routines.push_back(range);
        else if (kind == "atomic") found.atomics.push_back(range);
        else if (kind == "dynamic") found.dynamic_name = range.name;
    }
    for (auto *ranges : {&found.shared, &found.variables, &found.host, &found.copy_routines, &found.atomics})
        std::sort(ranges->begin(), ranges->end(), [](auto &a, auto &b) { return a.start < b.start; });
    return found;
}

const Symbols &symbols() {
    static const Symbols *all = new Symbols(read_symbols());
    return *all;
}

bool is_of_kernel(const NamedRange &shared, const char *name, const void *function) {
    if (shared.kernel.empty()) return true;
    if (function) return !shared.function || shared.function == reinterpret_cast<uintptr_t>(function);
    std::string kernel = name;
    kernel = kernel.substr(0, kernel.find('<'));
    return shared.kernel == kernel.substr(kernel.rfind(':') + 1);  // npos + 1 is 0
}

const NamedRange *range_with(const std::vector<NamedRange> &ranges, const void *address) {
    uintptr_t wanted = reinterpret_cast<uintptr_t>(address);
    auto after = std::upper_bound(ranges.begin(), ranges.end(), wanted,
                                  [](uintptr_t a, const NamedRange &range) { return a < range.start; });
    if (after == ranges.begin()) return nullptr;
    const NamedRange &range = *std::prev(after);
    return wanted - range.start < range.bytes ? &range : nullptr;
}

bool find_copy_routine(const void *pc) { return range_with(symbols().copy_routines, pc) != nullptr; }

bool in_atomic_function(const void *pc) {
    static const std::vector<NamedRange> &functions = symbols().atomics;
    return range_with(functions, pc) != nullptr;
}

// What the loader does not map writable of the program itself, the first object it lists: code and constants.
static std::vector<NamedRange> read_only_parts() {
    std::vector<NamedRange> parts;
    auto visit = [](dl_phdr_info *info, size_t, void *data) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
            const auto &part = info->dlpi_phdr[i];
            if (part.p_type == PT_LOAD && !(part.p_flags & PF_W))
                static_cast<std::vector<NamedRange> *>(data)->push_back(
                    {info->dlpi_addr + part.p_vaddr, part.p_memsz, ""});
        }
        return 1;
    };
    dl_iterate_phdr(visit, &parts);
    return parts;  // program headers are in order
}

bool is_constant(const void *address) {
    static const std::vector<NamedRange> parts = read_only_parts();
    return range_with(parts, address) != nullptr;
}

}  // namespace accache_cpu::check
