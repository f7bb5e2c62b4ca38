/* Functions that CUDA provides: printf, malloc. */
#ifndef ACCACHE_PTX_CUDA_FUNCTIONS_H
#define ACCACHE_PTX_CUDA_FUNCTIONS_H

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

#endif
