/* Traces: for each access of a warp its pc and lanes, its block, warp and kind, and addresses: one for each lane, a
   first one and a step for all lanes, or that for each half of the warp. */
#ifndef ACCACHE_PTX_TRACES_H
#define ACCACHE_PTX_TRACES_H

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

#endif
