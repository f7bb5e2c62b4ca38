// accache_private.cuh for a thread of the host, which counts fetches and write-backs.
#pragma once

#define __host__
#define __device__
static unsigned atomicAdd(unsigned *at, unsigned more) { unsigned old = *at; *at += more; return old; }
static unsigned atomicExch(unsigned *at, unsigned value) { unsigned old = *at; *at = value; return old; }
static void __threadfence_block() {}
static long events[2];
enum { fetch, write_back };
#define ACCACHE_PRIVATE_EVENT(kind) ++events[kind]
#include "accache_private.cuh"
