"""CUDA's and C++'s words as C: what stands in front of the text of a view, and what single words become."""

from __future__ import annotations

POSITIONS = ("threadIdx", "blockIdx", "blockDim", "gridDim")
"""Where a thread is; ``threadIdx.x`` becomes the name ``threadIdx_x``."""
BARRIER = "accache_barrier"
"""What a barrier of all threads of a block is called in a view."""
GROUPS = frozenset(("cg", "cooperative_groups"))
"""Namespaces of cooperative groups."""
BARRIERS = frozenset(("__syncthreads", "__syncthreads_or", "__syncthreads_and", "__syncthreads_count", "sync"))
_DROPPED = """
    __global__ __device__ __host__ __forceinline__ __noinline__ __inline__ inline __shared__ __constant__ __managed__
    constexpr typename noexcept explicit __grid_constant__
"""
DROPPED = frozenset(_DROPPED.split())
WITH_ARGUMENTS = frozenset(("__launch_bounds__", "__align__", "alignas", "__attribute__", "__cluster_dims__"))
SPELLED = {
    "nullptr": "0",
    "warpSize": "32",
    "__restrict__": "restrict",
    "__restrict": "restrict",
    "__syncthreads": BARRIER,
    "bool": "_Bool",
    "true": "1",
    "false": "0",
}
CASTS = frozenset(("static_cast", "reinterpret_cast", "const_cast"))
BASIC = frozenset(("int", "float", "double", "unsigned", "char", "short", "long", "bool", "size_t", "uint"))
"""Types of one word, which C++ lets convert as functions: ``float(i)``."""
REFUSED = {
    "asm": "inline PTX",
    "__asm__": "inline PTX",
    "cudaTextureObject_t": "textures",
    "cudaSurfaceObject_t": "surfaces",
    "texture": "textures",
    "__half": "half precision",
    "__half2": "half precision",
    "goto": "goto",
    "tex1D": "textures",
    "tex1Dfetch": "textures",
    "tex2D": "textures",
    "tex3D": "textures",
    "surf2Dread": "surfaces",
    "surf2Dwrite": "surfaces",
    "surf1Dread": "surfaces",
    "surf1Dwrite": "surfaces",
    "try": "exceptions",
    "new": "new",
    "delete": "delete",
    "operator": "an operator of its own",
}
"""Words of a kernel that no view has, and what they stand for."""

_MINMAX = """\
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
"""
_UPDATES = {
    "Add": "(*(p) += (v))",
    "Sub": "(*(p) -= (v))",
    "And": "(*(p) &= (v))",
    "Or": "(*(p) |= (v))",
    "Xor": "(*(p) ^= (v))",
    "Exch": "(*(p) = (v))",
    "Min": "(*(p) = (v))",
    "Max": "(*(p) = (v))",
    "Inc": "(*(p) += (v))",
    "Dec": "(*(p) -= (v))",
}
ATOMIC = frozenset(f"atomic{name}{scope}" for name in (*_UPDATES, "CAS") for scope in ("", "_block", "_system"))
"""Functions that a view writes as plain accesses: it tells what they touch, not what they give."""
_WARPS = """
    __shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync __ballot_sync __any_sync __all_sync __syncwarp
    __activemask __shfl __shfl_down __shfl_up __shfl_xor __ballot __any __all __reduce_add_sync __match_any_sync
"""
WARPS = frozenset(_WARPS.split())
"""Functions by which the threads of a warp hear of each other."""
_ATOMICS = "".join(
    f"#define atomic{name}{scope}(p, v) {value}\n"
    for name, value in _UPDATES.items()
    for scope in ("", "_block", "_system")
) + "".join(f"#define atomicCAS{scope}(p, c, v) ((c), *(p) = (v))\n" for scope in ("", "_block", "_system"))
_LANES = (
    "".join(
        f"#define __{name}_sync(m, v, ...) (v)\n" for name in ("shfl", "shfl_up", "shfl_down", "shfl_xor", "match_any")
    )
    + "".join(f"#define __{name}(v, ...) (v)\n" for name in ("shfl", "shfl_up", "shfl_down", "shfl_xor"))
    + "".join(f"#define __{name}_sync(m, v) (v)\n" for name in ("any", "all", "reduce_add"))
    + "#define __ballot_sync(m, v) ((unsigned)(v))\n#define __ballot(v) ((unsigned)(v))\n"
    + "#define __any(v) (v)\n#define __all(v) (v)\n#define __syncwarp(...)\n#define __activemask() 0xffffffffu\n"
)
_OTHERS = """\
#define __ldg(p) (*(p))
#define __threadfence()
#define __threadfence_block()
#define __threadfence_system()
#define assert(x)
#define CUDART_PI_F 3.141592654f
#define CUDART_INF_F 1e40f
#define CUDART_PI 3.1415926535897931
#define __syncthreads_or(v) (v)
#define __syncthreads_and(v) (v)
#define __syncthreads_count(v) (v)
"""
_VECTORS = "".join(
    f"typedef struct {name}{n} {{ {base} {', '.join('xyzw'[:n])}; }} {name}{n};\n"
    f"{name}{n} make_{name}{n}({', '.join([base] * n)});\n#pragma acc routine(make_{name}{n}) seq\n"
    for name, base in (
        ("char", "signed char"),
        ("uchar", "unsigned char"),
        ("short", "short"),
        ("ushort", "unsigned short"),
        ("int", "int"),
        ("uint", "unsigned"),
        ("long", "long"),
        ("ulong", "unsigned long"),
        ("longlong", "long long"),
        ("ulonglong", "unsigned long long"),
        ("float", "float"),
        ("double", "double"),
    )
    for n in (1, 2, 3, 4)
)
_FUNCTIONS = {
    "float": {
        "float": "rsqrtf __expf __exp10f __logf __log2f __log10f __sinf __cosf __tanf __frcp_rn __fsqrt_rn __saturatef "
        "sinpif cospif erfinvf erfcinvf normcdff normcdfinvf exp10f rcbrtf j0f j1f y0f y1f __frsqrt_rn",
        "float, float": "__fdividef __powf __fadd_rn __fsub_rn __fmul_rn __fdiv_rn __fadd_rz __fmul_rz __fmul_rd "
        "__fadd_rd __fadd_ru __fmul_ru rhypotf",
        "float, float, float": "__fmaf_rn __fmaf_rz norm3df rnorm3df",
        "int": "__int2float_rn __int2float_rz __int_as_float",
        "unsigned": "__uint2float_rn __uint2float_rz __uint_as_float",
        "double": "__double2float_rn __double2float_rz",
    },
    "double": {
        "double": "rsqrt __drcp_rn __dsqrt_rn sinpi cospi erfinv erfcinv normcdf normcdfinv exp10 rcbrt",
        "double, double": "__dadd_rn __dsub_rn __dmul_rn __ddiv_rn rhypot",
        "double, double, double": "__fma_rn",
        "int": "__int2double_rn",
        "unsigned": "__uint2double_rn",
        "long long": "__longlong_as_double __ll2double_rn",
    },
    "int": {
        "int": "__clz __ffs __popc __brev",
        "long long": "__clzll __ffsll __popcll",
        "int, int": "__mul24 __mulhi __hadd",
        "float": "__float2int_rn __float2int_rz __float2int_rd __float2int_ru __float_as_int",
        "double": "__double2int_rn __double2int_rz __double2hiint __double2loint",
        "void": "clock",
    },
    "unsigned": {
        "unsigned, unsigned": "__umul24 __umulhi __sad __usad",
        "float": "__float2uint_rn __float2uint_rz __float_as_uint",
        "unsigned, unsigned, unsigned": "__byte_perm __funnelshift_l __funnelshift_r",
    },
    "long long": {
        "double": "__double_as_longlong __double2ll_rn",
        "void": "clock64",
        "long long, long long": "__mul64hi",
    },
    "unsigned long long": {"unsigned long long, unsigned long long": "__umul64hi"},
    "void": {"void": BARRIER, "unsigned": "__nanosleep", "float, float *, float *": "sincosf __sincosf sincospif"},
}
_PROTOTYPES = "".join(
    f"{result} {name}({parameters});\n#pragma acc routine({name}) seq\n"
    for result, kinds in _FUNCTIONS.items()
    for parameters, names in kinds.items()
    for name in names.split()
)
_PLACES = "".join(f"static int {name}_{axis};\n" for name in POSITIONS for axis in "xyz")
_HEADERS = "".join(
    f"#include <{name}.h>\n" for name in ["math", "stddef", "stdint", "limits", "float", "time", "stdio"]
)
_TYPES = "typedef unsigned int uint;\ntypedef unsigned char uchar;\ntypedef unsigned short ushort;\n"


def prelude(defined: frozenset[str]) -> str:
    """What a view begins with, without what the program defines itself."""
    head = _HEADERS + _TYPES + _VECTORS + _PROTOTYPES + _PLACES
    macros = (_MINMAX + _ATOMICS + _LANES + _OTHERS).splitlines(keepends=True)
    return head + "".join(line for line in macros if line.split()[1].split("(")[0] not in defined)
