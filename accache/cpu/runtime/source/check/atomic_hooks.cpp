// The calls that -fsanitize=thread makes instead of atomic instructions.
#include "access.h"
#include "order.h"
#include "symbols.h"

using namespace accache_cpu::check;

// Where the program asked for an atomic access that functions of ours make for it.
static const void *asked_for(const void *pc) {
    if (!state.in_kernel) return pc;
    const ThreadState &thread = *state.thread;
    for (unsigned up = 0; up < ThreadState::callers_known && up < thread.depth && in_atomic_function(pc); ++up)
        pc = thread.callers[(thread.depth - up) % ThreadState::callers_known];
    return pc;
}

// An access of the block's scope only, as its order tells (accache_cpu/atomics.h).
struct Scope {
    explicit Scope(int order) { state.block_scope = order == __ATOMIC_ACQ_REL; }
    ~Scope() { state.block_scope = false; }
};

static void pause_sometimes() {
    if (state.in_kernel && --accache_cpu_patience == 0) accache_cpu_pause();
}

template <class T> static const void *plain(const volatile T *p) { return const_cast<const T *>(p); }

#define CHECK(kind, p) \
    state.exchanged = {}, access<Access::kind>(plain(p), sizeof *(p), asked_for(__builtin_return_address(0)))

#define FETCH(bits, T, operation)                                              \
    T __tsan_atomic##bits##_fetch_##operation(volatile T *p, T v, int order) { \
        pause_sometimes();                                                     \
        Scope scope(order);                                                    \
        CHECK(atomic, p);                                                      \
        acquire(plain(p));                                                     \
        release(plain(p));                                                     \
        return __atomic_fetch_##operation(p, v, __ATOMIC_RELAXED);             \
    }

// A compare-and-swap takes a lock: what follows it is ordered behind the fence that the lock needs.
#define SWAP(bits, T, name, result)                                                                            \
    result __tsan_atomic##bits##_compare_exchange_##name(volatile T *p, T *expected, T v, int order, int) {    \
        pause_sometimes();                                                                                     \
        Scope scope(order);                                                                                    \
        CHECK(atomic, p);                                                                                      \
        acquire_at_fence(plain(p));                                                                            \
        bool done = __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);    \
        if (done) release(plain(p));                                                                           \
        return done;                                                                                           \
    }

#define EXCHANGE(bits, T)                                                                                      \
    void __tsan_atomic##bits##_store(volatile T *p, T v, int order) {                                          \
        Scope scope(order);                                                                                    \
        CHECK(atomic_write, p);                                                                                \
        release_by_store(plain(p));                                                                            \
        __atomic_store_n(p, v, __ATOMIC_RELAXED);                                                              \
    }                                                                                                          \
    T __tsan_atomic##bits##_exchange(volatile T *p, T v, int order) {                                          \
        pause_sometimes();                                                                                     \
        Scope scope(order);                                                                                    \
        Exchanged found = found_by_exchange(plain(p), sizeof *p);                                              \
        CHECK(atomic_write, p); /* into fresh memory, too: who uses the old value says so */                   \
        state.exchanged = found;                                                                               \
        acquire(plain(p));                                                                                     \
        release(plain(p));                                                                                     \
        return __atomic_exchange_n(p, v, __ATOMIC_RELAXED);                                                    \
    }                                                                                                          \
    SWAP(bits, T, strong, int)                                                                                 \
    SWAP(bits, T, weak, int)                                                                                   \
    T __tsan_atomic##bits##_compare_exchange_val(volatile T *p, T expected, T v, int order, int failure) {     \
        __tsan_atomic##bits##_compare_exchange_strong(p, &expected, v, order, failure);                        \
        return expected;                                                                                       \
    }

// A relaxed load is the start of a compare-and-swap loop; the loop's swap is the access that counts. Others order what
// follows the fence behind them: loads that acquire have one (cuda/atomic).
#define LOAD(bits, T)                                              \
    T __tsan_atomic##bits##_load(const volatile T *p, int order) { \
        pause_sometimes();                                         \
        Scope scope(order);                                        \
        if (order != __ATOMIC_RELAXED) {                           \
            CHECK(atomic_read, p);                                 \
            acquire_at_fence(plain(p));                            \
        }                                                          \
        return __atomic_load_n(p, __ATOMIC_RELAXED);               \
    }

#define HOOKS(bits, T)    \
    LOAD(bits, T)         \
    EXCHANGE(bits, T)     \
    FETCH(bits, T, add)   \
    FETCH(bits, T, sub)   \
    FETCH(bits, T, and)   \
    FETCH(bits, T, or)    \
    FETCH(bits, T, xor)   \
    FETCH(bits, T, nand)

extern "C" {

HOOKS(8, unsigned char)
HOOKS(16, unsigned short)
HOOKS(32, unsigned)
HOOKS(64, unsigned long long)

void __tsan_atomic_thread_fence(int order) {
    if (!state.in_kernel) return;
    pause_sometimes();
    fence(order != __ATOMIC_ACQ_REL);
}
void __tsan_atomic_signal_fence(int) {}
}
