"""Kernels whose threads are ordered by fences and atomic accesses, or by less than they need; as in ``kernels``."""

from __future__ import annotations

from kernels import Case

# each thread has a fence, and the first one counts for all
LAST_BLOCK = (
    "__device__ int NAME_data[256], NAME_count, NAME_got;\n__global__ void k() {\nconst int i = threadIdx.x;\n"
    "__shared__ bool is_last;\nNAME_data[blockIdx.x * blockDim.x + i] = i;\nif (i < 32) __threadfence();\n"
    "__syncthreads();\nif (i == 0) is_last = atomicAdd(&NAME_count, 1) == gridDim.x - 1;\n__syncthreads();\n"
    "if (is_last && i == 0)\nfor (int place = 0; place < 256; ++place) NAME_got += NAME_data[place];\n}"
)

# lane 0 hands on what it, and the lanes that it has met, wrote before
ONE_LANE = (
    "__device__ int NAME_data[32], NAME_flag, NAME_got;\n__global__ void k() {\nconst int i = threadIdx.x;\n"
    "if (blockIdx.x == 0) {\nNAME_data[i] = i;\nMEETING\n"
    "if (i == 0) { FENCE atomicExch(&NAME_flag, 1); }\n} else if (i == 0) {\n"
    "while (atomicAdd(&NAME_flag, 0) == 0) ;\n__threadfence();\nNAME_got = NAME_data[5];\n}\n}"
)


def one_lane(name: str, meeting: str, fence: str = "__threadfence();") -> str:
    """A kernel whose lane 0 hands on what lane 5 has written."""
    return ONE_LANE.replace("NAME", name).replace("MEETING", meeting).replace("FENCE", fence)


CASES: dict[str, Case] = {
    "a fence of a lane that has met others than the writer": (
        one_lane("met", "if (i < 2) __syncwarp(3);"),
        "if (i < 2) __syncwarp(3);",
        "if (i < 6) __syncwarp(0x3f);",
        "k<<<2, 32>>>()",
        {("race", "met_data")},
    ),
    "a fence of a lane whose neighbours the writer has met": (
        one_lane("chain_of", "if (i >= 4 && i < 8) __syncwarp(0xf0);\nif (i < 4) __syncwarp(0x0f);"),
        "if (i < 4) __syncwarp(0x0f);",
        "if (i < 5) __syncwarp(0x1f);",
        "k<<<2, 32>>>()",
        {("race", "chain_of_data")},
    ),
    "a write behind the fence and in front of the warp's barrier": (
        one_lane("late", "__threadfence();\nif (i == 5) late_data[5] = 1;\n/**/\n__syncwarp();", ""),
        "/**/",
        "__threadfence();",
        "k<<<2, 32>>>()",
        {("race", "late_data")},
    ),
    # the value that block 0 leaves for its own threads goes on by a second one of the variable
    "a fence for the block alone": (
        "__device__ int own_data, own_flag, own_got;\n__global__ void k() {\n"
        "if (blockIdx.x == 0 && threadIdx.x == 0) {\n"
        "own_data = 42; __threadfence_block(); atomicExch(&own_flag, 1);\n}\n"
        "if (blockIdx.x == 1 && threadIdx.x == 0) {\n"
        "while (atomicAdd(&own_flag, 0) != 1) ; __threadfence_block(); atomicExch(&own_flag, 2);\n}\n"
        "if (blockIdx.x == 1 && threadIdx.x == 32) {\n"
        "while (atomicAdd(&own_flag, 0) != 2) ; __threadfence_block(); own_got = own_data;\n}\n}",
        "__threadfence_block",
        "__threadfence",
        "k<<<2, 64>>>()",
        {("race", "own_data")},
    ),
    # blocks make progress beside each other, although volatile accesses are no order
    "a wait for a volatile flag": (
        "__device__ int spin_sum[8], spin_flag[8];\n"
        "static __device__ int look(int i) { return ((volatile int *)spin_flag)[i]; }\n"
        "static __device__ int look_atomically(int i) { return atomicAdd(spin_flag + i, 0); }\n"
        "__global__ void k() {\nint i = blockIdx.x;\n"
        "if (i) { while (look(i - 1) == 0) ; __threadfence(); spin_sum[i] = spin_sum[i - 1]; }\n"
        "__threadfence();\natomicExch(spin_flag + i, 1);\n}",
        "look(i - 1)",
        "look_atomically(i - 1)",
        "k<<<8, 1>>>()",
        {("race", "spin_sum"), ("race", "spin_flag")},
    ),
    "a relaxed load of a released flag": (
        "__device__ int relaxed_data, relaxed_flag, relaxed_got;\n__global__ void k() {\n"
        "cuda::atomic_ref<int, cuda::thread_scope_device> flag(relaxed_flag);\n"
        "if (blockIdx.x == 0) { relaxed_data = 42; flag.store(1, cuda::memory_order_release); }\n"
        "else { while (!flag.load(cuda::memory_order_relaxed)) ; relaxed_got = relaxed_data; }\n}",
        "memory_order_relaxed",
        "memory_order_acquire",
        "k<<<2, 1>>>()",
        {("race", "relaxed_data")},
    ),
    "a relaxed load without a fence behind it": (
        "__device__ int fenced_data, fenced_flag, fenced_got;\n__global__ void k() {\n"
        "cuda::atomic_ref<int, cuda::thread_scope_device> flag(fenced_flag);\n"
        "if (blockIdx.x == 0) {\n"
        "fenced_data = 42; __threadfence(); flag.store(1, cuda::memory_order_relaxed);\n} else {\n"
        "while (!flag.load(cuda::memory_order_relaxed)) ;\n/**/ fenced_got = fenced_data;\n}\n}",
        "/**/",
        "__threadfence();",
        "k<<<2, 1>>>()",
        {("race", "fenced_data")},
    ),
    "the old value of an exchange in a condition": (
        "__global__ void k(float *a, float *b) {\nconst int i = threadIdx.x;\n/**/\n"
        "if (atomicExch((unsigned *)b + i, 7u) == 3) a[i] = 1;\n}",
        "/**/",
        "b[i] = 0;",
        "k<<<1, 32>>>(a, b)",
        {("uninitialised", "b")},
    ),
    "the old value of an exchange in a variable": (
        "__global__ void k(float *a, float *b) {\nconst int i = threadIdx.x;\n/**/\n"
        "float old = atomicExch_block(b + i, 1.0f);\nif (i < 5) a[i] = old;\n}",
        "/**/",
        "b[i] = 0;",
        "k<<<1, 32>>>(a, b)",
        {("uninitialised", "old")},
    ),
    "the old value of an exchange in a variable that had one": (
        "__global__ void k(float *a, float *b) {\nconst int i = threadIdx.x;\nfloat old = 0;\n"
        "old = atomicExch(b + i, 1.0f);\n/**/\nif (i < 5) a[i] = old;\n}",
        "/**/",
        "old = 3;",
        "k<<<1, 32>>>(a, b)",
        {("uninitialised", "old")},
    ),
    "the old value of an exchange in memory": (
        "__global__ void k(float *a, float *b) {\nconst int i = threadIdx.x;\na[i] = atomicExch(b + i, 1.0f);\n"
        "__syncthreads();\nif (i < 5) b[i] = a[i + 1];\n}",
        "atomicExch(b + i",
        "atomicExch(a + i",
        "k<<<1, 32>>>(a, b)",
        {("uninitialised", "a")},
    ),
    "the old value of an exchange in shared memory": (
        "struct Node { int next; };\n__global__ void k(float *a, float *b) {\nconst int i = threadIdx.x;\n"
        "__shared__ Node nodes[32];\n__shared__ int head;\n/**/\n__syncthreads();\n"
        "nodes[i].next = atomicExch(&head, i);\n__syncthreads();\na[i] = nodes[31 - i].next;\n}",
        "/**/",
        "if (i == 3) head = -1;",
        "k<<<1, 32>>>(a, b)",
        {("uninitialised", "nodes")},
    ),
    "the old value of an atomic variable": (
        "__global__ void k(float *a, float *b) {\nconst int i = threadIdx.x;\n/**/\n"
        "cuda::atomic_ref<float, cuda::thread_scope_device> last(b[i]);\n"
        "float old = last.exchange(2);\nif (last.exchange(3) == 2) a[i] = old;\n}",
        "/**/",
        "b[i] = 0;",
        "k<<<1, 32>>>(a, b)",
        {("uninitialised", "old")},
    ),
    # only exchanges and the like hand on what stood in the flag before
    "a store in the place of a released flag": (
        "__device__ int chain_data, chain_flag, chain_got;\n__global__ void k() {\n"
        "cuda::atomic_ref<int, cuda::thread_scope_device> flag(chain_flag);\n"
        "if (blockIdx.x == 0) { chain_data = 42; flag.store(1, cuda::memory_order_release); }\n"
        "if (blockIdx.x == 1) {\nwhile (flag.load(cuda::memory_order_relaxed) != 1) ;\n"
        "flag.store(2, cuda::memory_order_relaxed);\n}\n"
        "if (blockIdx.x == 2) { while (flag.load(cuda::memory_order_acquire) != 2) ; chain_got = chain_data; }\n}\n",
        "store(2",
        "exchange(2",
        "k<<<3, 1>>>()",
        {("race", "chain_data")},
    ),
    "one of many readers reads behind its fence": (
        "__device__ int many_data, many_count, many_got[128];\n__global__ void k() {\nconst int i = threadIdx.x;\n"
        "if (i < 96) {\nif (i != 50) many_got[i] = many_data;\n"
        "/**/\n__threadfence();\natomicAdd(&many_count, 1);\nif (i == 50) many_got[i] = 1 * many_data;\n"
        "} else if (i == 96) {\nwhile (atomicAdd(&many_count, 0) < 96) ;\n__threadfence();\nmany_data = 1;\n}\n}",
        "1 * many_data",
        "1",
        "k<<<1, 128>>>()",
        {("race", "many_data")},
    ),
    # of each variable another block reads behind its fence: whichever comes first, two others read after it
    "one of three blocks reads behind its fence": (
        "__device__ int first_of_3, second_of_3, third_of_3, many_3[3], sum_3[4];\n__global__ void k() {\n"
        "const int i = blockIdx.x;\nif (i == 3) {\n"
        "for (int j = 0; j < 3; ++j)\nwhile (atomicAdd(&many_3[j], 0) == 0) ;\n"
        "__threadfence();\nfirst_of_3 = second_of_3 = third_of_3 = 1;\n} else {\n"
        "const int late = i;\nint got = late != 0 ? first_of_3 : 0;\nif (late != 1) got += second_of_3;\n"
        "if (late != 2) got += third_of_3;\n__threadfence();\natomicExch(&many_3[i], 1);\n"
        "if (late == 0) got += first_of_3;\nif (late == 1) got += second_of_3;\nif (late == 2) got += third_of_3;\n"
        "sum_3[i] = got;\n}\n}",
        "late = i;",
        "late = 3;",
        "k<<<4, 1>>>()",
        {("race", "first_of_3"), ("race", "second_of_3"), ("race", "third_of_3")},
    ),
    "a barrier behind fences that not all threads have made": (
        LAST_BLOCK.replace("NAME", "some"),
        "if (i < 32) __threadfence();",
        "__threadfence();",
        "k<<<4, 64>>>()",
        {("race", "some_data")},
    ),
    # a thread of another group has not met the one that writes
    "two groups of a warp": (
        "__global__ void k(float *b) {\n__shared__ int s[32];\nconst int i = threadIdx.x;\ns[i] = i;\n"
        "__syncwarp(i < 16 ? 0xffff : 0xffff0000);\nb[i] = s[i ^ 16];\n}",
        "s[i ^ 16]",
        "s[i ^ 15]",
        "k<<<1, 32>>>(b)",
        {("race", "s")},
    ),
    "one group of a warp meets more often": (
        "__global__ void k(float *b) {\n__shared__ int s[32];\nconst int i = threadIdx.x;\n"
        "if (i < 8)\nfor (int round = 0; round < 3; ++round) __syncwarp(0xff);\ns[i] = i;\n/**/\nb[i] = s[31 - i];\n}",
        "/**/",
        "__syncwarp();",
        "k<<<1, 32>>>(b)",
        {("race", "s")},
    ),
    "the last lane writes what all have read, a phase behind a fence": (
        "__global__ void k(float *b) {\n__shared__ int s;\nif (threadIdx.x == 0) { s = 1; __threadfence(); }\n"
        "__syncthreads();\nint v = s;\n/**/ if (threadIdx.x == 31) s = v + 1;\nb[threadIdx.x] = v;\n}",
        "/**/",
        "__syncwarp();",
        "k<<<1, 32>>>(b)",
        {("race", "s")},
    ),
    # the writer is the last of the readers: what it has read itself hides none of the others
    "the last lane writes what all have read": (
        "__global__ void k(float *b) {\n__shared__ int s;\nif (threadIdx.x == 0) s = 1;\n__syncthreads();\nint v = s;\n"
        "/**/ if (threadIdx.x == 31) s = v + 1;\nb[threadIdx.x] = v;\n}",
        "/**/",
        "__syncwarp();",
        "k<<<1, 32>>>(b)",
        {("race", "s")},
    ),
}

CLEAN: dict[str, tuple[str, str]] = {
    "fences of all lanes before they meet": (
        one_lane("lanes", "__threadfence();\n__syncwarp();", ""),
        "k<<<2, 32>>>()",
    ),
    "fences of some lanes before they meet, one group behind the other": (
        one_lane("groups", "__threadfence();\nif (i > 3 && i < 8) __syncwarp(0xf0);\nif (i < 5) __syncwarp(0x1f);", ""),
        "k<<<2, 32>>>()",
    ),
    # the count of fences that a flag has seen is the same behind the barrier
    "fences before a warp's barrier, and before the block's": (
        "__device__ int twice_data[2], twice_flag, twice_got;\n__global__ void k() {\nconst int i = threadIdx.x;\n"
        "if (blockIdx.x == 0) {\nif (i == 1) { twice_data[0] = 1; __threadfence(); }\n__syncwarp();\n"
        "if (i == 0) atomicExch(&twice_flag, 1);\n"
        "if (i == 1) { twice_data[1] = 1; __threadfence(); }\n__syncthreads();\n"
        "if (i == 0) atomicExch(&twice_flag, 2);\n"
        "} else if (i == 0) {\nwhile (atomicAdd(&twice_flag, 0) < 2) ;\n__threadfence();\n"
        "twice_got = twice_data[0] + twice_data[1];\n}\n}",
        "k<<<2, 32>>>()",
    ),
    "a compare-and-swap hands on": (
        "__device__ int cas_data, cas_flag, cas_got;\n__global__ void k() {\n"
        "if (blockIdx.x == 0) { cas_data = 42; __threadfence(); atomicCAS(&cas_flag, 0, 1); }\n"
        "else { while (atomicAdd(&cas_flag, 0) == 0) ; __threadfence(); cas_got = cas_data; }\n}",
        "k<<<2, 1>>>()",
    ),
    "many readers and a write behind all of them": (
        "__device__ int war_data, war_count[2], war_got[128];\n__global__ void k() {\nconst int i = threadIdx.x;\n"
        "__shared__ int s;\nif (i == 0) s = 3;\n__syncthreads();\n"
        "if (i < 96) {\nwar_got[i] = war_data + s;\n__threadfence();\natomicAdd(war_count, 1);\n"
        "} else if (i == 96) {\nwhile (atomicAdd(war_count, 0) < 96) ;\n__threadfence();\ns = war_data = 1;\n}\n}",
        "k<<<1, 128>>>()",
    ),
    # lane 8 belongs to both groups, one after the other, and hands on what the first one wrote
    "groups of a warp one behind the other": (
        "__global__ void k(float *b) {\n__shared__ int s[32];\nconst int i = threadIdx.x;\ns[i] = i;\n"
        "if (i <= 8) __syncwarp(0x1ff);\nif (i >= 8) __syncwarp(~0xffu);\nb[i] = i < 8 ? 0 : s[i % 8];\n__syncwarp();\n"
        "s[i] = 1;\n__syncwarp(3u << (i & ~1));\nb[i] += s[i ^ 1];\n}",
        "k<<<1, 32>>>(b)",
    ),
    "groups of a warp read and write in turns": (
        "__global__ void k(float *b) {\n__shared__ int s[4];\nconst int i = threadIdx.x, group = i / 8;\n"
        "const unsigned mask = 0xffu << 8 * group;\nif (i % 8 == 0) s[group] = 0;\n__syncwarp(mask);\nint total = 0;\n"
        "for (int round = 0; round < 5 + group; ++round) {\ntotal += s[group];\n__syncwarp(mask);\n"
        "if (i % 8 == round % 8) s[group] = round + total;\n__syncwarp(mask);\n}\nb[i] = total;\n}",
        "k<<<1, 32>>>(b)",
    ),
    # how often a warp has met is counted to 1023
    "a warp that meets very often": (
        "__global__ void k(float *b) {\n__shared__ int s[32];\nconst int i = threadIdx.x;\ns[i] = i;\n"
        "for (int round = 0; round < 1024; ++round) __syncwarp();\nb[i] = s[31 - i];\n"
        "for (int round = 0; round < 5; ++round) { __syncwarp(); s[i ^ round] = i; }\n}",
        "k<<<1, 32>>>(b)",
    ),
    "a warp that meets very often hands on": (
        "__device__ int often_data[32], often_flag, often_got;\n__global__ void k() {\nconst int i = threadIdx.x;\n"
        "if (blockIdx.x == 0) {\nfor (int round = 0; round < 1020; ++round) __syncwarp();\noften_data[i] = i;\n"
        "for (int round = 0; round < 7; ++round) __syncwarp();\n"
        "if (i == 0) { __threadfence(); atomicExch(&often_flag, 1); }\n"
        "} else if (i == 0) {\n"
        "while (atomicAdd(&often_flag, 0) == 0) ;\n__threadfence();\noften_got = often_data[31];\n}\n}",
        "k<<<2, 32>>>()",
    ),
    "an exchange into fresh memory whose old value is not used": (
        "__global__ void k(float *a, float *b) {\nconst int i = threadIdx.x;\n"
        "for (int round = 0; round < 2; ++round) {\nfloat old = atomicExch(b + i, 1.0f);\nif (round) a[i] = old;\n}\n"
        "if (i > 40) b[0] = atomicExch(b + i, 2.0f) + 1;\n}",
        "k<<<1, 32>>>(a, b)",
    ),
    # docs/check.md: nobody knows what becomes of these
    "old values of exchanges that are handed on": (
        "static __device__ float put(float *b) { return atomicExch(b, 1.0f); }\n"
        "static __device__ float handed(float x) { return x; }\n"
        "__global__ void k(float *a, float *b) {\nconst int i = threadIdx.x;\n"
        "a[i] += handed(atomicExch(b + i, 1.0f)) + put(b + i + 8);\n}",
        "k<<<1, 8>>>(a, b)",
    ),
    "old values of exchanges in bit-fields and classes": (
        "struct Part { unsigned low : 3; unsigned high : 29; };\nstruct Held { float x;\n"
        "__device__ Held operator=(float value) { x = value; return *this; } };\n"
        "__global__ void k(float *a, float *b) {\nconst int i = threadIdx.x;\nPart part;\nHeld held;\n"
        "part.low = atomicExch((unsigned *)b + i, 1u);\nheld = atomicExch(b + i + 32, 1.0f);\nheld.x = 1;\n"
        "a[i] = held.x;\n}",
        "k<<<1, 32>>>(a, b)",
    ),
    # what a scope's variable has lost another one's has, at the same place of the stack
    "old values of exchanges, scope by scope": (
        "static __device__ float apart(float *b, float value) {\nfloat old[4] = {};\n"
        "old[1] = atomicExch(b, value);\nold[2] = 1;\nreturn old[0] + old[2];\n}\n"
        "__global__ void k(float *a, float *b) {\nconst int i = threadIdx.x;\n"
        "float got = apart(b + i, 1);\n{ float old = 1; got += old; old = atomicExch(b + i + 32, 1.0f); }\n"
        "{ float other[2] = {1, 2}; got += other[i % 2]; }\n"
        "for (int round = 0; round < 3; ++round) { float last = 1; got += last; last = atomicExch(b + i, 1.0f); }\n"
        "a[i] = got;\n}",
        "k<<<1, 32>>>(a, b)",
    ),
    "old values of exchanges in what references lead to": (
        "__global__ void k(float *a, float *b) {\nconst int i = threadIdx.x;\nfloat own = 0;\n"
        "{ float &old = a[i], &other = own; old = atomicExch(b + i, 1.0f); other = atomicExch(b + i, 2.0f); }\n"
        "volatile float base;\nif (i == 0) base = own;\nbase = __shfl_sync(~0u, base, 0);\na[i] = base;\n}",
        "k<<<1, 32>>>(a, b)",
    ),
    "an exchange into fresh memory": (
        "__global__ void k(float *b) {\nint i = 3 * threadIdx.x;\natomicExch(b + i, 1.0f);\n"
        "atomicExch((unsigned *)b + i + 1, 1u);\n"
        "cuda::atomic_ref<float, cuda::thread_scope_device>(b[i + 2]).exchange(2);\n"
        "b[i] += b[i + 1] + b[i + 2];\n}",
        "k<<<1, 16>>>(b)",
    ),
}
