/* What translated kernels run on: warps, memory, barriers, traces. A program's own text comes before and behind it.

   Before it the program defines ROUTINES, MAX_DEPTH, LOCAL_BYTES, and the tables of its routines and calls; behind it
   stand its routines and RUN. */
#ifndef ACCACHE_PTX_MACHINE_H
#define ACCACHE_PTX_MACHINE_H

#include <stdio.h>
#include <stdlib.h>

#define LANES 32
#define ALL 0xffffffffu
#define WINDOW 48
enum { CONST_WINDOW = 2, PARAM_WINDOW, SHARED_WINDOW, LOCAL_WINDOW };
enum { GLOBAL, SHARED, LOCAL, PARAM, CONST, GENERIC };
enum { FINE, OUT_OF_BOUNDS, MISALIGNED, READ_ONLY, TRAPPED, STUCK, TOO_DEEP, NO_MEMORY, BAD_CALL, ASSERTED };
enum { TURNS_BEFORE_OTHERS = 4096, TURNS_OF_A_LOOP = 1 << 16, TURNS_OF_A_WARP = 1 << 18 };

typedef struct { u64 begin, end; u8 *data; u64 writable; } Range;
typedef struct { u64 *words; u64 count, capacity; } Buffer;
typedef struct { u8 *bytes; u64 count, capacity; } Output;

/* a launch, which all workers share; machine code of Python fills it in the order of the fields */
typedef struct {
    u64 grid[3], block[3];
    u64 blocks, next_block, stop;
    u64 static_shared, shared_bytes;
    Range *ranges;
    u64 range_count;
    u8 *params;
    u64 param_bytes;
    u64 trace_first, trace_end; /* blocks whose accesses are recorded */
    u64 heap_begin, heap_end, heap_next;
} Launch;

/* what a worker found out; Python reads it */
typedef struct {
    u64 error, pc, block, thread, address, bytes;
    u64 instructions, warp_instructions;
    u64 *trace;
    u64 trace_count;
    u8 *output;
    u64 output_count;
} Report;

typedef struct {
    u32 tid[3][LANES];
    u32 pc[LANES], depth[LANES], base[LANES];
    u32 barrier[LANES], expected[LANES], vote[LANES];
    u32 number, alive, waiting, parked, voting, released, turns;
    u32 *back; /* where calls return to, by depth and lane */
    void **frames; /* by depth and routine */
    u8 *local;
} Warp;

typedef struct {
    Launch *launch;
    Report *report;
    Warp *warps;
    u32 warp_count, ctaid[3];
    u64 block;
    u8 *shared;
    u32 counted_barriers, arrived[16];
    int tracing;
    Buffer trace;
    Output output;
    Range *cached; /* by pc: the range an instruction found last */
} Context;

RARE int fail(Context *c, const Warp *w, u32 error, u32 pc, u32 lane, u64 address, u32 bytes)
{
    Report *r = c->report;
    r->error = error;
    r->pc = pc;
    r->block = c->block;
    r->thread = w ? w->number * LANES + lane : 0;
    r->address = address;
    r->bytes = bytes;
    __atomic_store_n(&c->launch->stop, 1, __ATOMIC_RELAXED);
    return 1;
}

/* ---- traces: for each access of a warp its pc and lanes, its block, warp and kind, and addresses: one for each lane, a
   first one and a step for all lanes, or that for each half of the warp */

static void room(Buffer *b, u64 words)
{
    if (b->count + words <= b->capacity)
        return;
    b->capacity = b->capacity ? 2 * b->capacity : 1 << 16;
    b->words = realloc(b->words, b->capacity * sizeof(u64));
    if (!b->words)
        abort();
}

enum { LISTED, STEADY, HALVES };

/* whether a whole warp's addresses are a step apart, but for that between its halves */
LANE int steady_halves(const u64 *address, u64 *step, u64 *step_behind)
{
    u64 differs = 0;
    *step = address[1] - address[0];
    *step_behind = address[LANES / 2 + 1] - address[LANES / 2];
    for (u32 l = 0; l < LANES / 2 - 1; l++) {
        differs |= (address[l + 1] - address[l]) ^ *step;
        differs |= (address[l + 1 + LANES / 2] - address[l + LANES / 2]) ^ *step_behind;
    }
    return differs == 0;
}

RARE void record(Context *c, const Warp *w, u32 pc, u32 m, const u64 *address)
{
    room(&c->trace, LANES + 3);
    u64 *out = c->trace.words + c->trace.count, n = 2, step, step_behind, kind = LISTED;
    if (m == ALL && steady_halves(address, &step, &step_behind)) {
        kind = step == step_behind && address[LANES / 2] == address[LANES / 2 - 1] + step ? STEADY : HALVES;
        out[n++] = address[0];
        out[n++] = step;
        if (kind == HALVES) {
            out[n++] = address[LANES / 2];
            out[n++] = step_behind;
        }
    } else
        for (u32 l = 0; l < LANES; l++)
            if (m >> l & 1)
                out[n++] = address[l];
    out[0] = (u64)pc << 32 | m;
    out[1] = c->block << 16 | (u64)w->number << 2 | kind;
    c->trace.count += n;
}

/* ---- memory */

static Range *range_of(Context *c, u64 address)
{
    u64 low = 0, high = c->launch->range_count;
    while (low < high) {
        u64 middle = (low + high) / 2;
        if (c->launch->ranges[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    Range *found = &c->launch->ranges[low];
    return low < c->launch->range_count && found->begin <= address ? found : NULL;
}

/* the memory of a lane behind an address of all memory, or NULL; *error says why */
static u8 *locate(Context *c, Warp *w, u32 lane, u64 address, u32 bytes, int writes, u32 *error)
{
    u64 offset = address & (((u64)1 << WINDOW) - 1);
    *error = OUT_OF_BOUNDS;
    switch (address >> WINDOW) {
    case SHARED_WINDOW:
        return offset + bytes <= c->launch->shared_bytes ? c->shared + offset : NULL;
    case LOCAL_WINDOW:
        return offset + bytes <= LOCAL_BYTES ? w->local + (u64)lane * LOCAL_BYTES + offset : NULL;
    case PARAM_WINDOW:
        return offset + bytes <= c->launch->param_bytes && !writes ? c->launch->params + offset : NULL;
    }
    Range *found = range_of(c, address);
    if (!found || address + bytes > found->end || address + bytes < address)
        return NULL;
    *error = READ_ONLY;
    return writes && !found->writable ? NULL : found->data + (address - found->begin);
}

/* lanes whose addresses do not lie together in one allocation */
RARE int reach_each(
    Context *c, Warp *w, u32 pc, u32 m, u64 *address, u32 bytes, u32 align, int writes)
{
    u64 global[LANES];
    u32 traced = 0;
    for (u32 l = 0; l < LANES; l++) {
        if (!(m >> l & 1))
            continue;
        u32 error = MISALIGNED;
        u8 *found = address[l] & (align - 1) ? NULL : locate(c, w, l, address[l], bytes, writes, &error);
        if (!found)
            return fail(c, w, error, pc, l, address[l], bytes);
        if (address[l] >> WINDOW < CONST_WINDOW) {
            global[l] = address[l];
            traced |= 1u << l;
        }
        address[l] = (u64)(uintptr_t)found;
    }
    if (c->tracing && traced)
        record(c, w, pc, traced, global);
    return 0;
}

/* whether lanes access something outside of a range, or not aligned */
LANE u64 leaves(const Range *range, u32 m, const u64 *address, u32 bytes, u32 align, int writes)
{
    u64 size = range->end - range->begin, wrong = size < bytes || (writes && !range->writable);
    if (m == ALL)
        for (u32 l = 0; l < LANES; l++)
            wrong |= (u64)(address[l] - range->begin > size - bytes) | (address[l] & (align - 1));
    else
        for (u32 l = 0; l < LANES; l++)
            wrong |= m >> l & 1 ? (u64)(address[l] - range->begin > size - bytes) | (address[l] & (align - 1)) : 0;
    return wrong;
}

/* addresses of global memory, or of all memory, become pointers; no error: 0 */
RARE int reach(Context *c, Warp *w, u32 pc, u32 m, u64 *address, u32 bytes, u32 align, int writes)
{
    Range *cached = &c->cached[pc];
    if (leaves(cached, m, address, bytes, align, writes)) {
        u64 first = address[__builtin_ctz(m)];
        Range *found = first >> WINDOW < CONST_WINDOW ? range_of(c, first) : NULL;
        if (!found || leaves(found, m, address, bytes, align, writes))
            return reach_each(c, w, pc, m, address, bytes, align, writes);
        *cached = *found;
    }
    if (c->tracing)
        record(c, w, pc, m, address);
    u64 delta = (u64)(uintptr_t)cached->data - cached->begin;
    for (u32 l = 0; l < LANES; l++)
        address[l] += delta;
    return 0;
}

/* offsets in shared memory that are wrong, if there are any */
RARE int shared_error(
    Context *c, Warp *w, u32 pc, u32 m, const u64 *offset, u32 bytes, u32 align)
{
    for (u32 l = 0; l < LANES; l++)
        if (m >> l & 1) {
            if (offset[l] & (align - 1))
                return fail(c, w, MISALIGNED, pc, l, offset[l], bytes);
            if (offset[l] > 0xffffffffu || offset[l] + bytes > c->launch->shared_bytes)
                return fail(c, w, OUT_OF_BOUNDS, pc, l, offset[l], bytes);
        }
    return 0;
}

#define REACH_SHARED(T) \
    LANE int reach_shared_##T(Context *c, Warp *w, u32 pc, u32 m, const T *offset, u32 bytes, u32 align) \
    { \
        T last = (T)(c->launch->shared_bytes - bytes), wrong = c->launch->shared_bytes < bytes; \
        for (u32 l = 0; l < LANES; l++) \
            wrong |= m == ALL || m >> l & 1 ? (T)(offset[l] > last) | (offset[l] & (align - 1)) : 0; \
        if (__builtin_expect(!wrong, 1)) \
            return 0; \
        u64 wide[LANES]; \
        for (u32 l = 0; l < LANES; l++) \
            wide[l] = offset[l]; \
        return shared_error(c, w, pc, m, wide, bytes, align); \
    }
REACH_SHARED(u32)
REACH_SHARED(u64)

/* offsets in the threads' local memory become pointers */
RARE int reach_local(Context *c, Warp *w, u32 pc, u32 m, u64 *address, u32 bytes, u32 align)
{
    for (u32 l = 0; l < LANES; l++)
        if (m >> l & 1) {
            if (address[l] & (align - 1))
                return fail(c, w, MISALIGNED, pc, l, address[l], bytes);
            if (address[l] + bytes > LOCAL_BYTES || address[l] + bytes < bytes)
                return fail(c, w, OUT_OF_BOUNDS, pc, l, address[l], bytes);
            address[l] += (u64)(uintptr_t)(w->local + (u64)l * LOCAL_BYTES);
        }
    return 0;
}

/* addresses of constants and parameters, which are those of all memory, become pointers */
RARE int reach_constant(Context *c, Warp *w, u32 pc, u32 m, u64 *address, u32 bytes, u32 align)
{
    return reach_each(c, w, pc, m, address, bytes, align, 0);
}

/* ---- lanes: those with the smallest pc go first, those that called a function before those that wait for them */

RARE u32 choose(Warp *w, u32 depth, u32 first, u32 end, u32 *pc)
{
    u32 can = w->alive & ~w->waiting, best = ALL, m = 0;
    u32 here[LANES];
    for (u32 l = 0; l < LANES; l++) {
        int is_here = MAX_DEPTH == 1 || (w->depth[l] == depth && w->pc[l] >= first && w->pc[l] < end);
        here[l] = (can >> l & 1) && is_here ? w->pc[l] : ALL;
        u32 p = w->parked >> l & 1 ? ALL : here[l];
        best = p < best ? p : best;
    }
    if (best == ALL)
        return 0;
    if (++w->turns % TURNS_BEFORE_OTHERS == 0) /* who spins must not keep out whom it waits for */
        for (u32 l = 0; l < LANES; l++)
            if (here[l] != ALL && !(w->parked >> l & 1) && here[l] > best)
                best = here[l];
    for (u32 l = 0; l < LANES; l++)
        m |= (u32)(here[l] == best) << l;
    *pc = best;
    return m;
}

/* the lanes that can go on and are as deep in calls: if all of them are together, nobody needs to choose */
static inline u32 here(const Warp *w, u32 depth)
{
    u32 can = w->alive & ~w->waiting;
    if (MAX_DEPTH == 1)
        return can;
    u32 m = 0;
    for (u32 l = 0; l < LANES; l++)
        m |= (u32)(w->depth[l] == depth) << l;
    return can & m;
}

RARE void go_to(Warp *w, u32 m, u32 pc)
{
    for (u32 l = 0; l < LANES; l++)
        w->pc[l] = m >> l & 1 ? pc : w->pc[l];
}

RARE u32 true_lanes(const u8 *predicate)
{
    u32 m = 0;
    for (u32 l = 0; l < LANES; l++)
        m |= (u32)(predicate[l] != 0) << l;
    return m;
}

/* whether lanes that a mask names are still to come; those that are here wait then */
RARE int must_wait(Warp *w, u32 m, const u32 *members)
{
    u32 named = 0;
    for (u32 l = 0; l < LANES; l++)
        named |= m >> l & 1 ? members[l] : 0;
    if (named & w->alive & ~m) {
        w->parked |= m;
        return 1;
    }
    w->parked &= ~m;
    return 0;
}

static void *frame_of(Warp *w, u32 depth, u32 routine)
{
    void **frame = &w->frames[depth * ROUTINES + routine];
    if (!*frame) {
        *frame = aligned_alloc(64, FRAME_BYTES[routine]);
        if (!*frame)
            abort();
        memset(*frame, 0, FRAME_BYTES[routine]);
    }
    return *frame;
}

static u32 routine_of(u32 pc)
{
    u32 k = 0;
    while (pc >= LAST_PC[k])
        k++;
    return k;
}

static u8 *arguments_of(Warp *w, u32 depth, u32 routine, u32 lane)
{
    return (u8 *)frame_of(w, depth, routine) + ARGUMENTS_AT[routine] + (u64)lane * ARGUMENT_BYTES[routine];
}

/* a lane enters a function; ranges are those of the call, then of the function */
static int enter(Context *c, Warp *w, u32 pc, u32 lane, u32 routine)
{
    u32 depth = w->depth[lane], caller = routine_of(pc);
    const Site *site = &SITES[SITE_OF[pc]];
    if (depth + 1 >= MAX_DEPTH || w->base[lane] + LOCAL_FRAME[caller] + LOCAL_FRAME[routine] > LOCAL_BYTES)
        return fail(c, w, TOO_DEEP, pc, lane, 0, 0);
    if (site->argument_count != PARAMETER_COUNT[routine])
        return fail(c, w, BAD_CALL, pc, lane, 0, 0);
    u8 *from = arguments_of(w, depth, caller, lane), *to = arguments_of(w, depth + 1, routine, lane);
    for (u32 i = 0; i < site->argument_count; i++) {
        Bytes a = CALL_RANGES[site->arguments + i], b = PARAMETERS[PARAMETERS_AT[routine] + i];
        memcpy(to + b.offset, from + a.offset, a.bytes < b.bytes ? a.bytes : b.bytes);
    }
    w->back[depth * LANES + lane] = pc + 1;
    w->depth[lane] = depth + 1;
    w->base[lane] += LOCAL_FRAME[caller];
    w->pc[lane] = FIRST_PC[routine];
    return 0;
}

/* lanes leave a function; those of a kernel end */
static void leave(Warp *w, u32 m, u32 routine)
{
    for (u32 l = 0; l < LANES; l++) {
        if (!(m >> l & 1))
            continue;
        u32 depth = w->depth[l];
        if (depth == 0) {
            w->alive &= ~(1u << l);
            continue;
        }
        u32 pc = w->back[(depth - 1) * LANES + l], caller = routine_of(pc - 1);
        const Site *site = &SITES[SITE_OF[pc - 1]];
        u8 *from = arguments_of(w, depth, routine, l), *to = arguments_of(w, depth - 1, caller, l);
        for (u32 i = 0; i < site->result_count; i++) {
            Bytes a = CALL_RANGES[site->results + i];
            Bytes b = PARAMETERS[PARAMETERS_AT[routine] + PARAMETER_COUNT[routine] + i];
            memcpy(to + a.offset, from + b.offset, a.bytes < b.bytes ? a.bytes : b.bytes);
        }
        w->depth[l] = depth - 1;
        w->base[l] -= LOCAL_FRAME[caller];
        w->pc[l] = pc;
    }
}

/* ---- lanes exchange values */

enum { UP, DOWN, BUTTERFLY, INDEX };
static inline u32 shuffled(int mode, u32 lane, u32 distance, u32 clamp, u8 *valid)
{
    s32 b = distance & 31, c = clamp & 31, segments = clamp >> 8 & 31, own = (s32)lane;
    s32 last = (own & segments) | (c & ~segments), first = own & segments;
    s32 j = mode == UP ? own - b : mode == DOWN ? own + b : mode == BUTTERFLY ? own ^ b : first | (b & ~segments);
    *valid = mode == UP ? j >= last : j <= last;
    return *valid ? (u32)j : lane;
}

/* ---- functions that CUDA provides */

static void put(Output *o, const void *bytes, u64 count)
{
    if (o->count + count > o->capacity) {
        o->capacity = 2 * (o->count + count) + 4096;
        o->bytes = realloc(o->bytes, o->capacity);
        if (!o->bytes)
            abort();
    }
    memcpy(o->bytes + o->count, bytes, count);
    o->count += count;
}

static const char *text_at(Context *c, Warp *w, u32 lane, u64 address)
{
    u32 error;
    u64 length = 0;
    u8 *p;
    while ((p = locate(c, w, lane, address + length, 1, 0, &error)) && *p)
        length++;
    return p ? (const char *)locate(c, w, lane, address, 1, 0, &error) : NULL;
}

/* printf of a lane: integers and pointers take 4 or 8 bytes of the arguments, other numbers 8 */
static int print_lane(Context *c, Warp *w, u32 lane, u64 format, u64 arguments, u32 *count)
{
    const char *f = text_at(c, w, lane, format);
    u64 at = arguments;
    char piece[64], text[512];
    if (!f)
        return 1;
    *count = 0;
    for (; *f; f++) {
        if (*f != '%' || f[1] == '%') {
            put(&c->output, f, 1);
            f += *f == '%';
            continue;
        }
        u32 n = 0, longs = 0;
        const char *start = f;
        while (*f && n < 40 && !strchr("diouxXeEfFgGaAcsp", *f)) {
            longs += *f == 'l' || *f == 'j' || *f == 'z' || *f == 't';
            if (f == start || !strchr("hljztL", *f))
                piece[n++] = *f;
            f++;
        }
        if (!*f || n >= 40) {
            put(&c->output, start, (u64)(f - start));
            break;
        }
        char kind = *f;
        u32 bytes = strchr("eEfFgGaAsp", kind) || longs ? 8 : 4, error;
        at = (at + bytes - 1) & ~(u64)(bytes - 1);
        u8 *value = locate(c, w, lane, at, bytes, 0, &error);
        if (!value)
            return 1;
        at += bytes;
        u64 word = 0;
        memcpy(&word, value, bytes);
        if (strchr("di", kind) && bytes == 4)
            word = (u64)(s64)(s32)word;
        ++*count;
        if (kind == 's') {
            const char *s = text_at(c, w, lane, word);
            if (!s)
                return 1;
            piece[n++] = 's';
            piece[n] = 0;
            u64 need = (u64)snprintf(NULL, 0, piece, s);
            char *whole = malloc(need + 1);
            snprintf(whole, need + 1, piece, s);
            put(&c->output, whole, need);
            free(whole);
            continue;
        }
        if (strchr("diouxX", kind)) {
            piece[n++] = 'l';
            piece[n++] = 'l';
        }
        piece[n++] = kind;
        piece[n] = 0;
        int length = kind == 'c' ? snprintf(text, sizeof text, piece, (int)word)
                   : kind == 'p' ? snprintf(text, sizeof text, "0x%llx", (unsigned long long)word)
                   : strchr("eEfFgGaA", kind) ? snprintf(text, sizeof text, piece, f64_of(word))
                   : snprintf(text, sizeof text, piece, (long long)word);
        put(&c->output, text, length < (int)sizeof text ? (u64)length : sizeof text - 1);
    }
    return 0;
}

/* malloc takes the next bytes of the heap; free gives nothing back, as no address is used twice then */
static u64 take_memory(Context *c, u64 bytes)
{
    u64 size = (bytes + 15) & ~(u64)15;
    u64 found = __atomic_fetch_add(&c->launch->heap_next, size, __ATOMIC_RELAXED);
    return found + size <= c->launch->heap_end && size >= bytes ? found : 0;
}

/* ---- barriers of a block */

RARE void arrive(Context *c, Warp *w, u32 m, u32 number, u32 threads, int waits)
{
    if (!waits) {
        c->arrived[number & 15] += __builtin_popcount(m);
        c->counted_barriers = 1;
    } else
        w->waiting |= m;
    for (u32 l = 0; l < LANES; l++)
        if (m >> l & 1) {
            w->barrier[l] = number & 15;
            w->expected[l] = threads;
        }
    if (number || threads)
        c->counted_barriers = 1;
}

/* let threads go on whose barrier is complete; whether there were any */
static int release(Context *c)
{
    u32 all = 0, waiting = 0;
    for (u32 i = 0; i < c->warp_count; i++) {
        all += __builtin_popcount(c->warps[i].alive);
        waiting += __builtin_popcount(c->warps[i].waiting);
    }
    if (!waiting)
        return 0;
    int any = 0;
    for (u32 number = 0; number < (c->counted_barriers ? 16 : 1); number++) {
        u32 here = c->counted_barriers ? 0 : waiting, threads = all, votes = 0;
        for (u32 i = 0; i < c->warp_count; i++)
            for (u32 l = 0; l < LANES; l++)
                if (c->warps[i].waiting >> l & 1 && c->warps[i].barrier[l] == number) {
                    here += c->counted_barriers != 0;
                    threads = c->warps[i].expected[l] ? c->warps[i].expected[l] : threads;
                    votes += c->warps[i].vote[l];
                }
        if (!here || here + c->arrived[number] < threads)
            continue;
        for (u32 i = 0; i < c->warp_count; i++) {
            Warp *w = &c->warps[i];
            for (u32 l = 0; l < LANES; l++)
                if (w->waiting >> l & 1 && w->barrier[l] == number) {
                    w->waiting &= ~(1u << l);
                    w->released |= w->voting & 1u << l; /* these come back for the result */
                    w->voting &= ~(1u << l);
                    w->vote[l] = votes;
                    w->expected[l] = here + c->arrived[number];
                }
        }
        c->arrived[number] = 0;
        any = 1;
    }
    return any;
}

/* ---- blocks */

typedef int Routine(Context *c, Warp *w, u32 depth);
static Routine *const RUN[ROUTINES];

/* run a warp until its lanes wait, have ended, or took their turns; whether it failed */
static int run_warp(Context *c, Warp *w)
{
    for (u32 start = w->turns; w->turns - start < TURNS_OF_A_WARP;) {
        u32 can = w->alive & ~w->waiting & ~w->parked, depth = 0, pc = ALL;
        if (!can) {
            u32 parked = w->alive & ~w->waiting & w->parked;
            if (!parked)
                return 0;
            for (u32 l = 0; l < LANES; l++) /* lanes may meet at different warp barriers */
                if (parked >> l & 1 && !WARP_BARRIER[w->pc[l]])
                    return 0;
            for (u32 l = 0; l < LANES; l++)
                if (parked >> l & 1)
                    w->pc[l]++;
            w->parked = 0;
            continue;
        }
        for (u32 l = 0; l < LANES; l++)
            if (can >> l & 1 && w->depth[l] > depth)
                depth = w->depth[l];
        for (u32 l = 0; l < LANES; l++)
            if (can >> l & 1 && w->depth[l] == depth && w->pc[l] < pc)
                pc = w->pc[l];
        if (RUN[routine_of(pc)](c, w, depth))
            return 1;
    }
    return 0;
}

static void start_block(Context *c, u64 block)
{
    Launch *g = c->launch;
    u64 threads = g->block[0] * g->block[1] * g->block[2];
    c->block = block;
    c->ctaid[0] = (u32)(block % g->grid[0]);
    c->ctaid[1] = (u32)(block / g->grid[0] % g->grid[1]);
    c->ctaid[2] = (u32)(block / g->grid[0] / g->grid[1]);
    c->tracing = block >= g->trace_first && block < g->trace_end;
    c->counted_barriers = 0;
    memset(c->arrived, 0, sizeof c->arrived);
    memset(c->shared, 0xff, g->shared_bytes);
    for (u32 i = 0; i < c->warp_count; i++) {
        Warp *w = &c->warps[i];
        w->number = i;
        w->alive = w->waiting = w->parked = w->voting = w->released = w->turns = 0;
        for (u32 l = 0; l < LANES; l++) {
            u64 t = i * LANES + l;
            w->tid[0][l] = (u32)(t % g->block[0]);
            w->tid[1][l] = (u32)(t / g->block[0] % g->block[1]);
            w->tid[2][l] = (u32)(t / g->block[0] / g->block[1]);
            w->pc[l] = w->depth[l] = w->base[l] = w->vote[l] = 0;
            w->alive |= (u32)(t < threads) << l;
        }
    }
}

static int run_block(Context *c, u64 block)
{
    start_block(c, block);
    for (;;) {
        u32 alive = 0, runnable = 0;
        for (u32 i = 0; i < c->warp_count; i++) {
            Warp *w = &c->warps[i];
            if (w->alive & ~w->waiting && run_warp(c, w))
                return 1;
            alive |= w->alive;
            runnable |= w->alive & ~w->waiting & ~w->parked;
        }
        if (!alive)
            return 0;
        if (release(c) || runnable)
            continue;
        for (u32 i = 0; i < c->warp_count; i++)
            for (u32 l = 0; l < LANES; l++)
                if (c->warps[i].alive >> l & 1)
                    return fail(c, &c->warps[i], STUCK, c->warps[i].pc[l], l, 0, 0);
    }
}

static void clear(Context *c)
{
    for (u32 i = 0; i < c->warp_count; i++) {
        for (u32 j = 0; j < MAX_DEPTH * ROUTINES && c->warps[i].frames; j++)
            free(c->warps[i].frames[j]);
        free(c->warps[i].frames);
        free(c->warps[i].back);
        free(c->warps[i].local);
    }
    free(c->warps);
    free(c->shared);
    free(c->cached);
}

/* run blocks until none is left; several workers may do so at a time */
void accache_ptx_work(Launch *g, Report *report)
{
    Context c = {.launch = g, .report = report};
    u64 threads = g->block[0] * g->block[1] * g->block[2];
    c.warp_count = (u32)((threads + LANES - 1) / LANES);
    c.warps = aligned_alloc(64, (sizeof(Warp) * c.warp_count + 63) / 64 * 64);
    c.shared = aligned_alloc(256, (g->shared_bytes + 511) / 256 * 256);
    c.cached = calloc(LAST_PC[ROUTINES - 1] + 1, sizeof(Range));
    if (!c.warps || !c.shared || !c.cached)
        abort();
    for (u32 i = 0; i < c.warp_count; i++) {
        c.warps[i].frames = calloc((u64)MAX_DEPTH * ROUTINES, sizeof(void *));
        c.warps[i].back = malloc((u64)MAX_DEPTH * LANES * sizeof(u32));
        c.warps[i].local = calloc(1, (u64)LOCAL_BYTES * LANES + 64);
        if (!c.warps[i].frames || !c.warps[i].back || !c.warps[i].local)
            abort();
    }
    for (;;) {
        u64 block = __atomic_fetch_add(&g->next_block, 1, __ATOMIC_RELAXED);
        if (block >= g->blocks || __atomic_load_n(&g->stop, __ATOMIC_RELAXED))
            break;
        u64 header[2] = {block, 0}, at = c.output.count;
        put(&c.output, header, sizeof header);
        int failed = run_block(&c, block);
        header[1] = c.output.count - at - sizeof header;
        if (header[1])
            memcpy(c.output.bytes + at, header, sizeof header);
        else
            c.output.count = at;
        if (failed)
            break;
    }
    clear(&c);
    report->trace = c.trace.words;
    report->trace_count = c.trace.count;
    report->output = c.output.bytes;
    report->output_count = c.output.count;
}

void accache_ptx_free(void *memory) { free(memory); }

#endif
