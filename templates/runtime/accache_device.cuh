// accache run-time, part 1: messages, the choice of the device, queues.
// All is inline, so that the .cu files linked into a program share one state.
#ifndef ACCACHE_DEVICE_CUH
#define ACCACHE_DEVICE_CUH
#ifndef ACCACHE_RUNTIME_H
#include "accache_runtime.h"
#endif
#ifndef ACCACHE_LAUNCH_CUH
#include "accache_launch.cuh"
#endif

namespace accache {

// ---- Messages ----

struct Place { const char *file; int line; };

inline Place here{"(before the first directive)", 0}; // the construct that is being executed
inline const char *routine = nullptr;                 // instead of it, a routine of openacc.h
inline Place last_launch{nullptr, 0};                 // kernels are asynchronous: a later call may report their errors
inline const char *last_kernel = nullptr;
inline bool failed = false; // the program ends with an error

[[noreturn]] __attribute__((format(printf, 1, 2))) inline void fatal(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    failed = true;
    fflush(stdout);
    if (routine != nullptr)
        fprintf(stderr, "accache: %s: ", routine);
    else
        fprintf(stderr, "%s:%d: accache: ", here.file, here.line);
    vfprintf(stderr, format, arguments);
    if (routine != nullptr && here.line > 0)
        fprintf(stderr, " (the last directive was at %s:%d)", here.file, here.line);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

inline void check(cudaError_t status, const char *what, const char *name, size_t bytes)
{
    if (status == cudaSuccess)
        return;
    if (last_kernel == nullptr)
        fatal("%s %s (%zu bytes): %s", what, name, bytes, cudaGetErrorString(status));
    fatal("%s %s (%zu bytes): %s; the last kernel launched was %s (%s:%d)", what, name, bytes,
          cudaGetErrorString(status), last_kernel, last_launch.file, last_launch.line);
}

// Of kernels that nobody waited for the end of the program learns whether they failed; what they print appears.
inline void wait_at_exit()
{
    const cudaError_t status = failed ? cudaSuccess : cudaDeviceSynchronize();
    if (status == cudaSuccess || status == cudaErrorCudartUnloading)
        return;
    fflush(stdout);
    fprintf(stderr, "accache: at the end of the program: %s; the last kernel launched was %s (%s:%d)\n",
            cudaGetErrorString(status), last_kernel, last_launch.file, last_launch.line);
    _Exit(1);
}

// ACCACHE_NOTIFY=1 in the environment: a line on stderr for each launch and transfer; 2: also for each allocation.
inline bool notify(int level)
{
    static const char *const setting = getenv("ACCACHE_NOTIFY");
    return setting != nullptr && atoi(setting) >= level;
}

// ACCACHE_NOTIFY=summary: one line at the end of the program.
struct Moves { size_t count, bytes; };

inline Moves uploads, downloads;
inline size_t launches;

inline void summarise()
{
    fprintf(stderr, "accache: %zu kernels launched, %zu uploads of %zu bytes, %zu downloads of %zu bytes\n", launches,
            uploads.count, uploads.bytes, downloads.count, downloads.bytes);
}

inline bool summarise_at_exit()
{
    const char *const setting = getenv("ACCACHE_NOTIFY");
    return setting != nullptr && strcmp(setting, "summary") == 0 && atexit(summarise) == 0;
}

inline const bool summary = summarise_at_exit();

inline void count(Moves &moves, size_t bytes)
{
    ++moves.count;
    moves.bytes += bytes;
}

inline void tell(int level, const char *what, const char *name, size_t bytes)
{
    if (!notify(level))
        return;
    fprintf(stderr, "accache: %s %s %zu bytes ", what, name, bytes);
    if (routine != nullptr)
        fprintf(stderr, "%s\n", routine);
    else
        fprintf(stderr, "%s:%d\n", here.file, here.line);
}

// ---- What a device has ----

struct Mapping {
    uintptr_t host;
    size_t bytes;
    char *device;
    const char *name;
    size_t structured, dynamic; // reference counters; the mapping lives while one of them is above zero
    bool borrowed;              // the device memory is the user's (acc_map_data)
    std::vector<uintptr_t> arrays = {}; // addresses of arrays that stand for it, a section of them
    uintptr_t structure = 0;            // the one that it is a member of, if it lies in a block of that
    bool implied = false;               // a pointer that no clause names but for what it leads to

    void *address_of(const void *pointer) const { return device + (reinterpret_cast<uintptr_t>(pointer) - host); }
    bool unused() const { return structured == 0 && dynamic == 0; }
};

struct Block { char *device; size_t bytes, users; }; // for a structure of which so many members are on the device

struct Attachment { size_t count; const void *target; }; // of a pointer in device memory

struct Scratch { void *memory; size_t bytes; };

struct Queue {
    cudaStream_t stream;
    bool own;                      // made by us, not handed in by the user
    std::vector<void *> discarded; // device memory that work in the queue may still use
    std::vector<void *> unpinned;  // the same of pinned host memory
    std::vector<Scratch> scratch;  // device memory for intermediate results, by slot
    Scratch staging;               // pinned host memory that they pass through
};

struct Device {
    std::map<uintptr_t, Mapping> present;           // by host address; ranges never overlap, elements never move
    std::map<uintptr_t, const Mapping *> on_device; // the same mappings by device address
    std::map<uintptr_t, Block> structures;          // by host address
    std::map<uintptr_t, Attachment> attachments;    // by the host address of the pointer
    std::set<std::pair<uintptr_t, const Mapping *>> arrays; // addresses of arrays that stand for a section further on
    std::multiset<uintptr_t> empty;                 // addresses that sections without elements were named by
    std::map<int, Queue> queues;                    // by async argument; ACCACHE_SYNC is CUDA's default stream
    size_t declared = 0;                            // how many of the declared variables it has
};

inline std::map<int, Device> devices; // by CUDA's number

struct Declared { // data declared outside of functions, as it was when the program started
    Place place;
    int action;
    const void *host;
    size_t bytes;
    const char *name;
    size_t element_bytes;
    std::vector<char> value; // for copyin
};

inline std::vector<Declared> &declared() // constructors of any file may be the first to ask
{
    static std::vector<Declared> variables;
    return variables;
}

struct Resident { // a variable that routines use
    uintptr_t host;
    size_t bytes;
    const char *name;
    bool is_pointer;
    int (*place)(const void *address, void *queue);
};

inline std::vector<Resident> &residents()
{
    static std::vector<Resident> variables;
    return variables;
}

void place_declared(Device &device);

// ---- The choice of the device ----

constexpr int first_queue = 0; // for async without an argument

struct Selection { bool host; int number, queue; }; // the internal control variables (2.3)

inline int device_count()
{
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

inline bool host_by_default() // ACC_DEVICE_TYPE in the environment
{
    static const char *const type = getenv("ACC_DEVICE_TYPE");
    if (type == nullptr || *type == '\0')
        return false;
    for (const char *const gpu : {"nvidia", "default", "not_host"})
        if (strcasecmp(type, gpu) == 0)
            return false;
    if (strcasecmp(type, "host") != 0)
        fatal("ACC_DEVICE_TYPE is '%s'; there are NVIDIA and HOST", type);
    return true;
}

inline int number_by_default() // ACC_DEVICE_NUM in the environment
{
    static const char *const number = getenv("ACC_DEVICE_NUM");
    return number != nullptr ? atoi(number) : 0;
}

inline Selection &selection()
{
    static Selection selected{host_by_default(), number_by_default(), first_queue};
    return selected;
}

inline bool on_host() { return selection().host; } // the host is a device that shares memory with itself

// Without a GPU the program ends, with one clear line, where it first needs one.
inline void find_device()
{
    static bool found = false;
    if (found || on_host())
        return;
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0) {
        fflush(stdout);
        fprintf(stderr, "accache: no CUDA device found (%s)\n",
                cudaGetErrorString(status != cudaSuccess ? status : cudaErrorNoDevice));
        exit(1);
    }
    const int number = selection().number;
    if (number < 0 || number >= count)
        fatal("there is no CUDA device %d; devices are numbered from 0 to %d", number, count - 1);
    if (number > 0)
        check(cudaSetDevice(number), "choose", "a device", 0);
    found = true;
}

inline Device &device()
{
    find_device();
    Device &current = devices[selection().number];
    if (current.declared < declared().size())
        place_declared(current);
    return current;
}

inline void choose(bool host, int number)
{
    selection().host = host;
    if (host)
        return;
    find_device();
    if (number < 0 || number >= device_count())
        fatal("there is no CUDA device %d; devices are numbered from 0 to %d", number, device_count() - 1);
    if (number != selection().number)
        check(cudaSetDevice(number), "choose", "a device", 0);
    selection().number = number;
}

struct OnDevice { // another device for a while
    Selection before = selection();
    OnDevice(bool host, int number) { choose(host, number); }
    OnDevice(const OnDevice &) = delete;
    OnDevice &operator=(const OnDevice &) = delete;
    ~OnDevice() { choose(before.host, before.number); }
};

inline void go_to(Place place)
{
    here = place;
#ifdef ACCACHE_CPU
    accache_cpu_at(place.file, place.line);
#endif
}

inline void arrive(const char *file, int line) // at a directive
{
    go_to(Place{file, line});
    find_device();
}

// ---- Queues ----

inline int meant_by(int async) // an async argument (2.16)
{
    if (async == ACCACHE_NOVAL)
        return selection().queue;
    if (async < ACCACHE_SYNC)
        fatal("%d is not an async argument", async);
    return async;
}

inline Queue &queue_of(int async)
{
    Queue &queue = device().queues[meant_by(async)];
    if (queue.stream == nullptr && meant_by(async) != ACCACHE_SYNC) {
        check(cudaStreamCreateWithFlags(&queue.stream, cudaStreamNonBlocking), "create", "a queue", 0);
        queue.own = true;
    }
    return queue;
}

inline Queue *known_queue(int async) // null if nothing ever went there
{
    const auto found = device().queues.find(meant_by(async));
    return found != device().queues.end() ? &found->second : nullptr;
}

inline void free_discarded(Queue &queue)
{
    for (void *const memory : queue.discarded)
        check(cudaFree(memory), "free", "device memory", 0);
    for (void *const memory : queue.unpinned)
        check(cudaFreeHost(memory), "free", "pinned memory", 0);
    queue.discarded.clear();
    queue.unpinned.clear();
}

inline void finish(Queue &queue)
{
    check(cudaStreamSynchronize(queue.stream), "wait for", "a queue", 0);
    free_discarded(queue);
}

inline void finish_all()
{
    for (auto &[async, queue] : device().queues)
        finish(queue);
}

inline bool is_finished(Queue &queue)
{
    const cudaError_t status = cudaStreamQuery(queue.stream);
    if (status == cudaErrorNotReady) {
        cudaGetLastError(); // it is no error
        return false;
    }
    check(status, "ask", "a queue", 0);
    free_discarded(queue);
    return true;
}

inline int this_or(int number) { return number >= 0 || on_host() ? number : selection().number; }

// Lets what follows in a queue of this device wait for what is in `waited`; the host goes on.
inline void let_wait(Queue &queue, const Queue &waited, int device_of_waited)
{
    cudaEvent_t reached;
    {
        const OnDevice there(false, device_of_waited);
        check(cudaEventCreateWithFlags(&reached, cudaEventDisableTiming), "create", "an event", 0);
        check(cudaEventRecord(reached, waited.stream), "record", "an event", 0);
    }
    check(cudaStreamWaitEvent(queue.stream, reached, 0), "wait for", "an event", 0);
    check(cudaEventDestroy(reached), "destroy", "an event", 0);
}

// Lets queue `async` wait for a queue of a device, or for all its queues; the host waits itself if it is no queue.
// A negative number is the current device.
inline void wait_for(int waited, int number, int async)
{
    if (on_host())
        return;
    const bool host_waits = meant_by(async) == ACCACHE_SYNC;
    Queue *const waiting = host_waits ? nullptr : &queue_of(async);
    const int owner = this_or(number), wanted = waited != ACCACHE_ALL_QUEUES ? meant_by(waited) : waited;
    const OnDevice there(false, owner);
    for (auto &[name, queue] : device().queues) {
        if (&queue == waiting || (wanted != ACCACHE_ALL_QUEUES && name != wanted))
            continue;
        if (host_waits)
            finish(queue);
        else
            let_wait(*waiting, queue, owner);
    }
}

// ---- Device memory ----

inline cudaError_t allocate_array(void **memory, size_t bytes)
{
#ifdef ACCACHE_CPU // which ends a program at an access behind the array
    return accache_cpu_allocate_array(memory, bytes);
#else
    return cudaMalloc(memory, bytes);
#endif
}

inline void *allocate(size_t bytes, const char *name)
{
    find_device();
    void *memory = nullptr;
    cudaError_t status = allocate_array(&memory, bytes);
    if (status == cudaErrorMemoryAllocation) { // there may be some in the queues
        cudaGetLastError();
        finish_all();
        status = allocate_array(&memory, bytes);
    }
    check(status, "create", name, bytes);
    return memory;
}

// Frees memory as soon as nothing in the queue can use it any more.
inline void discard(void *memory, int async, const char *name, size_t bytes)
{
    if (meant_by(async) == ACCACHE_SYNC)
        check(cudaFree(memory), "delete", name, bytes);
    else
        queue_of(async).discarded.push_back(memory);
}

inline void copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, int async, const char *what,
                 const char *name)
{
    if (bytes == 0)
        return;
    if (kind != cudaMemcpyDeviceToDevice)
        count(kind == cudaMemcpyHostToDevice ? uploads : downloads, bytes);
    if (meant_by(async) == ACCACHE_SYNC)
        check(cudaMemcpy(to, from, bytes, kind), what, name, bytes);
    else
        check(cudaMemcpyAsync(to, from, bytes, kind, queue_of(async).stream), what, name, bytes);
}

inline void fill_with_zeros(void *memory, size_t bytes, int async, const char *name)
{
    if (meant_by(async) == ACCACHE_SYNC)
        check(cudaMemset(memory, 0, bytes), "zero", name, bytes);
    else
        check(cudaMemsetAsync(memory, 0, bytes, queue_of(async).stream), "zero", name, bytes);
}

} // namespace accache
#endif
