/* Memory: from addresses of a warp's lanes to pointers, and what is wrong with them. */
#ifndef ACCACHE_PTX_MEMORY_H
#define ACCACHE_PTX_MEMORY_H

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
    u64 recorded[LANES];
    u32 traced = 0;
    for (u32 l = 0; l < LANES; l++) {
        if (!(m >> l & 1))
            continue;
        u32 error = MISALIGNED;
        u8 *found = address[l] & (align - 1) ? NULL : locate(c, w, l, address[l], bytes, writes, &error);
        if (!found)
            return fail(c, w, error, pc, l, address[l], bytes);
        const int is_shared = address[l] >> WINDOW == SHARED_WINDOW;
        if (address[l] >> WINDOW < CONST_WINDOW || (is_shared && c->launch->trace_shared)) {
            recorded[l] = address[l];
            traced |= 1u << l;
        }
        address[l] = (u64)(uintptr_t)found;
    }
    if (c->tracing && traced)
        record(c, w, pc, traced, recorded);
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
        if (__builtin_expect(!wrong && !(c->tracing && c->launch->trace_shared), 1)) \
            return 0; \
        u64 wide[LANES]; \
        for (u32 l = 0; l < LANES; l++) \
            wide[l] = offset[l]; \
        if (wrong) \
            return shared_error(c, w, pc, m, wide, bytes, align); \
        for (u32 l = 0; l < LANES; l++) \
            wide[l] += (u64)SHARED_WINDOW << WINDOW; \
        record(c, w, pc, m, wide); \
        return 0; \
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

#endif
