// The file is a sequence of records: a letter, the payload's length (64 bits), the payload. Numbers are little-endian,
// 64 bits wide; a text or a byte string is its length and its bytes.
//
//   V  1                                           the version; comes first
//   A  address, bytes, kind, symbol                memory that is new; all its bytes are 0xff
//   F  address                                     memory that is gone
//   P  address, byte string                        memory that has changed
//   N  address, bytes, element bytes, name         an array has a name
//   K  number, name, symbol, grid x y z, block x y z, shared bytes, count,
//      count x (byte string, element bytes, is float, padding)          a launch begins
//   E  number                                      it has ended: what follows is later than it
//   R  address, byte string                        what another order of threads makes of memory, after E
//
// kind: 0 cudaMalloc, 1 managed, 2 malloc in a kernel, 3 a variable of the program.
//
// Beside it, `blocks` has a line for each kernel and block that the run launches with each other: x y z name.
#include "capture.h"

#include <algorithm>
#include <cxxabi.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <fcntl.h>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "accache_cpu/capture.h"
#include "device_memory.h"
#include "scheduler.h"

extern "C" {
__thread int accache_cpu_describing;
__attribute__((noinline)) const void *accache_cpu_here(void) { return __builtin_return_address(0); }
}

namespace accache_cpu::capture {

struct Symbol {
    uintptr_t start;
    size_t bytes;
    std::string name;
};

class Record {
  public:
    explicit Record(char kind) : kind_(kind) {}
    Record &number(uint64_t value) {
        char bytes[8];
        for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(value >> 8 * i);
        payload_.append(bytes, 8);
        return *this;
    }
    Record &bytes(const void *from, size_t count) {
        number(count);
        payload_.append(static_cast<const char *>(from), count);
        return *this;
    }
    Record &text(const std::string &value) { return bytes(value.data(), value.size()); }
    std::string whole() const {
        std::string head = Record(kind_).number(payload_.size()).payload_;
        return kind_ + head + payload_;
    }

  private:
    char kind_;
    std::string payload_;
};

// The memory as the file tells it so far.
struct Known {
    uint64_t kind;
    std::vector<char> data;
};

class File {
  public:
    explicit File(const std::string &folder);
    void note_block(const Launch &launch);
    bool wants(const Launch &launch);
    void write(const Record &record);
    void flush();
    void update();
    void describe(const void *function, const accache_cpu_argument *arguments, size_t count);

    void write_memory(const std::map<char *, Known> &contents);
    void write_other_order();

    std::map<char *, Known> before;  // the running launch, if it depends on the order of threads
    const Launch *launch = nullptr;
    uint64_t written = 0;  // launches

  private:
    std::string symbol_at(const void *function) const;
    const std::string &kernel_of(const Launch &launch);
    void compare(char *start, size_t bytes, uint64_t kind, const std::string &symbol);
    void write_changes(char kind, char *start, std::vector<char> &told);

    std::FILE *file_;
    std::ofstream blocks_;
    std::set<std::string> noted_;
    std::map<std::pair<const void *, std::string>, std::string> names_;  // of kernels, by what launches say
    std::string kernel_;
    uint64_t limit_ = UINT64_MAX;
    std::vector<Symbol> functions_, variables_;
    std::set<std::string> unordered_;  // kernels whose results may depend on the order of threads
    std::map<char *, Known> known_;
};

[[noreturn]] static void failed(const std::string &what) {
    std::perror(("accache-cpu: cannot capture launches: " + what).c_str());
    std::exit(1);
}

File::File(const std::string &folder)
    : file_(std::fopen((folder + "/launches").c_str(), "wb")), blocks_(folder + "/blocks") {
    if (!file_) failed(folder);
    if (const char *text = std::getenv("ACCACHE_CPU_CAPTURE_LAUNCHES")) limit_ = std::strtoull(text, nullptr, 10);
    if (const char *text = std::getenv("ACCACHE_CPU_CAPTURE_KERNEL")) kernel_ = text;
    std::ifstream symbols(folder + "/symbols");
    for (std::string line; std::getline(symbols, line);) {
        std::istringstream words(line);
        std::string kind;
        Symbol symbol;
        words >> kind;
        if (kind == "unordered") words >> symbol.name;
        else words >> std::hex >> symbol.start >> std::dec >> symbol.bytes >> symbol.name;
        if (kind == "unordered") unordered_.insert(symbol.name);
        else (kind == "function" ? functions_ : variables_).push_back(symbol);
    }
    write(Record('V').number(1));
}

// `ns::kernel<float, 4>` is called kernel.
static std::string plain_name(const std::string &name) {
    std::string plain = name.substr(0, name.find('<'));
    size_t colon = plain.rfind(':');
    if (colon != std::string::npos) plain.erase(0, colon + 1);
    size_t first = plain.find_first_not_of(" *&("), last = plain.find_last_not_of(" )");
    return first == std::string::npos ? plain : plain.substr(first, last - first + 1);
}

// `void (anonymous namespace)::kernel<int>(int*)` is called kernel.
static std::string last_part(const std::string &text) {
    std::string plain;
    int depth = 0;
    for (char character : text) {
        depth += character == '(' || character == '<';
        if (!depth) plain += character;
        depth -= character == ')' || character == '>';
    }
    return plain.substr(plain.find_last_of(": ") + 1);
}

std::string File::symbol_at(const void *function) const {
    const uintptr_t pc = reinterpret_cast<uintptr_t>(function);
    std::string symbol;
    for (const Symbol &candidate : functions_)
        if (pc - candidate.start < candidate.bytes) symbol = candidate.name;
    return symbol;
}

// The kernel itself, without what is around its name: what launches it may know it by a pointer or a macro's parameter.
const std::string &File::kernel_of(const Launch &launch) {
    auto [found, is_new] = names_.try_emplace({launch.request->function, launch.request->name});
    if (!is_new) return found->second;
    const std::string symbol = launch.request->function ? symbol_at(launch.request->function) : "";
    int status = -1;
    const bool is_mangled = symbol.compare(0, 2, "_Z") == 0;  // else f, of C linkage, would be the type float
    char *text = is_mangled ? abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status) : nullptr;
    found->second = status == 0 ? last_part(text) : symbol.empty() ? plain_name(launch.request->name) : symbol;
    std::free(text);
    return found->second;
}

// Each of them once, at once: the launch may end the program.
void File::note_block(const Launch &launch) {
    const dim3 &block = launch.request->block;
    std::ostringstream line;
    line << block.x << ' ' << block.y << ' ' << block.z << ' ' << kernel_of(launch) << '\n';
    if (noted_.insert(line.str()).second) blocks_ << line.str() << std::flush;
}

bool File::wants(const Launch &launch) {
    if (written >= limit_ || !launch.request->describe) return false;
    return kernel_.empty() || kernel_ == launch.request->name || kernel_ == kernel_of(launch);
}

void File::write(const Record &record) {
    const std::string whole = record.whole();
    if (std::fwrite(whole.data(), 1, whole.size(), file_) != whole.size()) failed("launches");
}

void File::flush() {
    if (std::fflush(file_) != 0) failed("launches");
}

// Writes the parts of one allocation that differ from what the file tells.
void File::compare(char *start, size_t bytes, uint64_t kind, const std::string &symbol) {
    auto [found, is_new] = known_.try_emplace(start);
    Known &known = found->second;
    if (!is_new && (known.data.size() != bytes || known.kind != kind)) {
        write(Record('F').number(reinterpret_cast<uintptr_t>(start)));
        is_new = true;
    }
    if (is_new) {
        known.kind = kind;
        known.data.assign(bytes, '\xff');
        write(Record('A').number(reinterpret_cast<uintptr_t>(start)).number(bytes).number(kind).text(symbol));
    }
    write_changes('P', start, known.data);
}

// Writes the parts of memory from `start` on that differ from what has been told, which then tells them.
void File::write_changes(char kind, char *start, std::vector<char> &told) {
    constexpr size_t step = 256;
    const size_t bytes = told.size();
    auto differs = [&](size_t at) {
        return at < bytes && std::memcmp(start + at, told.data() + at, std::min(step, bytes - at)) != 0;
    };
    for (size_t at = 0; at < bytes; at += step) {
        if (!differs(at)) continue;
        size_t end = at + step;
        while (differs(end)) end += step;
        end = std::min(end, bytes);
        std::memcpy(told.data() + at, start + at, end - at);
        write(Record(kind).number(reinterpret_cast<uintptr_t>(start + at)).bytes(start + at, end - at));
        at = (end - 1) / step * step;
    }
}

// What is const stays untouched: it never differs.
void File::write_memory(const std::map<char *, Known> &contents) {
    for (const auto &[start, known] : contents)
        if (std::memcmp(start, known.data.data(), known.data.size()) != 0)
            std::memcpy(start, known.data.data(), known.data.size());
}

void File::write_other_order() {
    for (const auto &[start, known] : known_) {
        std::vector<char> told = known.data;
        write_changes('R', start, told);
    }
    write_memory(known_);
}

void File::update() {
    const std::vector<Allocation> live = device_memory().live();
    for (auto known = known_.begin(); known != known_.end();) {
        auto below = [](const Allocation &allocation, const char *start) { return allocation.start < start; };
        auto same = std::lower_bound(live.begin(), live.end(), known->first, below);
        if (known->second.kind == 3 || (same != live.end() && same->start == known->first)) {
            ++known;
            continue;
        }
        write(Record('F').number(reinterpret_cast<uintptr_t>(known->first)));
        known = known_.erase(known);
    }
    for (const Symbol &variable : variables_)
        compare(reinterpret_cast<char *>(variable.start), variable.bytes, 3, variable.name);
    for (const Allocation &allocation : live)
        compare(allocation.start, allocation.bytes, static_cast<uint64_t>(allocation.kind), "");
}

void File::describe(const void *function, const accache_cpu_argument *arguments, size_t count) {
    const std::string symbol = symbol_at(function);
    const accache_cpu_launch &request = *launch->request;
    Record record('K');
    record.number(launch->number).text(request.name).text(symbol);
    for (const dim3 &shape : {request.grid, request.block}) record.number(shape.x).number(shape.y).number(shape.z);
    record.number(request.shared).number(count);
    for (size_t i = 0; i < count; ++i) {
        const accache_cpu_argument &argument = arguments[i];
        record.bytes(argument.value, argument.bytes).number(argument.element_bytes).number(argument.is_float != 0);
        record.bytes(argument.padding, argument.padding ? argument.element_bytes : 0);
    }
    write(record);
    before.clear();
    if (unordered_.count(symbol)) before = known_;
}

// Null where nobody asks for captures.
static File *file() {
    static const char *folder = std::getenv("ACCACHE_CPU_CAPTURE");
    static File *opened = folder && *folder ? new File(folder) : nullptr;
    return opened;
}

bool begin_launch(const Launch &launch) {
    if (!file()) return false;
    file()->note_block(launch);
    if (!file()->wants(launch)) return false;
    file()->launch = &launch;
    file()->update();
    launch.request->describe(launch.request->described);
    file()->flush();  // a kernel may end the program
    ++file()->written;
    return true;
}

bool end_launch() {
    file()->update();
    file()->write(Record('E').number(file()->launch->number));
    file()->flush();
    return !file()->before.empty();
}

static int standard_output = -1;  // while what kernels print goes nowhere
static bool in_other_order = false;

void begin_other_order() {
    std::fflush(stdout);
    standard_output = dup(STDOUT_FILENO);
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    close(nowhere);
    file()->write_memory(file()->before);
    in_other_order = true;
}

void end_other_order() {
    in_other_order = false;
    std::fflush(stdout);
    dup2(standard_output, STDOUT_FILENO);
    close(standard_output);
    file()->write_other_order();
    file()->flush();
}

void labelled(const void *device, size_t bytes, const char *name, size_t element_bytes) {
    if (!file() || !name) return;
    const uintptr_t address = reinterpret_cast<uintptr_t>(device);
    file()->write(Record('N').number(address).number(bytes).number(element_bytes).text(name));
}

}  // namespace accache_cpu::capture

extern "C" int accache_cpu_in_other_order(void) { return accache_cpu::capture::in_other_order; }

extern "C" void accache_cpu_describe(const void *function, const accache_cpu_argument *arguments, size_t count) {
    accache_cpu::capture::file()->describe(function, arguments, count);
}
