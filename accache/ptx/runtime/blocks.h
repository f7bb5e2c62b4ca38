/* Blocks: their barriers, the turns of their warps, and the workers that run them. */
#ifndef ACCACHE_PTX_BLOCKS_H
#define ACCACHE_PTX_BLOCKS_H

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
    c->tracing = block >= g->trace_first && block < g->trace_end && (block - g->trace_first) % g->trace_every == 0;
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
