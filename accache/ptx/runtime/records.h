/* What translated kernels run on: launches, warps, and what is found out about them.

   Before the runtime the program defines ROUTINES, MAX_DEPTH, LOCAL_BYTES, and the tables of its routines and calls;
   behind it stand its routines and RUN. */
#ifndef ACCACHE_PTX_RECORDS_H
#define ACCACHE_PTX_RECORDS_H

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
    u64 trace_first, trace_end, trace_every; /* blocks whose accesses are recorded: to global memory, */
    u64 trace_shared;                        /* and to shared memory if this is set */
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
    u64 *arrivals; /* by pc, of the first steps of blocks: the warps that came to them */
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

#endif
