/* Which lanes go on: those with the smallest pc go first, those that called a function before those that wait for them.
   Calls, returns, and exchanges of values between lanes. */
#ifndef ACCACHE_PTX_LANES_H
#define ACCACHE_PTX_LANES_H

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

#endif
