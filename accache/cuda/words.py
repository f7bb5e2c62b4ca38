"""CUDA's and C++'s words as C: what stands in front of the text of a view, and what single words become."""

from __future__ import annotations

import re
from collections.abc import Sequence

POSITIONS = ("threadIdx", "blockIdx", "blockDim", "gridDim")
"""Where a thread is; ``threadIdx.x`` becomes the name ``threadIdx_x``."""
BARRIER = "accache_barrier"
"""What a barrier of all threads of a block is called in a view."""
GROUPS = frozenset(("cg", "cooperative_groups"))
"""Namespaces of cooperative groups."""
GROUP_TYPES = frozenset(
    (
        *("thread_block", "thread_group", "grid_group", "cluster_group", "coalesced_group", "thread_block_tile"),
        *("this_thread_block", "this_grid", "this_cluster", "coalesced_threads", "tiled_partition"),
    )
)
"""The types and functions of that namespace that make groups."""
UNKNOWN_CHOICE = "accache_unknown_choice"
"""A number of which a view knows nothing."""
READERS = frozenset(("min", "max", "__ldg"))
"""Functions of CUDA that only read what they are handed."""
BARRIERS = frozenset(("__syncthreads", "__syncthreads_or", "__syncthreads_and", "__syncthreads_count", "sync"))
OF_FUNCTIONS = ("__global__", "__device__", "__host__", "__forceinline__", "__noinline__")
"""Words in front of functions."""
_DROPPED = """
    __inline__ inline __shared__ __constant__ __managed__ constexpr typename noexcept explicit __grid_constant__
"""
DROPPED = frozenset((*OF_FUNCTIONS, *_DROPPED.split()))
_AXES = ("1D", "2D", "3D", "1DLayered", "2DLayered", "Cubemap", "CubemapLayered")
FETCHES = frozenset(
    (
        *(f"tex{axes}{kind}" for axes in _AXES for kind in ("", "Lod", "Grad")),
        *(f"surf{axes}read" for axes in _AXES),
        "tex1Dfetch",
        "tex2Dgather",
    )
)
"""Reads of textures and surfaces: they give a value of the type between their angle brackets."""
FUNCTION_NAMES = frozenset(
    (
        "__func__",
        "__FUNCTION__",
        "__PRETTY_FUNCTION__",
        "__builtin_FUNCTION",
        "__builtin_PRETTY_FUNCTION",
        "source_location",
    )
)
"""What stands for the name of the function around it."""
SURFACE_WRITES = frozenset(f"surf{axes}write" for axes in _AXES)
OPAQUE = "accache_opaque"
"""In a view ``accache_opaque("f<T>", T, x)`` is a call of ``f<T>(x)``, of which is known that it gives a T."""
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
    "texture": "textures",
    "__half": "half precision",
    "__half2": "half precision",
    "goto": "goto",
    "try": "exceptions",
    "new": "new",
    "delete": "delete",
    "operator": "an operator of its own",
}
"""Words of a kernel that no view has, and what they stand for."""

_BASES = {
    "char": "signed char",
    "uchar": "unsigned char",
    "short": "short",
    "ushort": "unsigned short",
    "int": "int",
    "uint": "unsigned",
    "long": "long",
    "ulong": "unsigned long",
    "longlong": "long long",
    "ulonglong": "unsigned long long",
    "float": "float",
    "double": "double",
}
_VECTORS = {
    f"{name}{n}": f"typedef struct {name}{n} {{ {base} {', '.join('xyzw'[:n])}; }} {name}{n};\n"
    for name, base in _BASES.items()
    for n in (1, 2, 3, 4)
}
_MAKERS = {
    f"{name}{n}": {", ".join([base] * n): f"make_{name}{n}"} for name, base in _BASES.items() for n in (1, 2, 3, 4)
}
_NAMED = frozenset(("float2", "float4", "double2"))
"""Vectors that other declarations name."""
_STATE = "curandStateXORWOW *"
_FUNCTIONS = {
    "float": {
        _STATE: "curand_uniform curand_normal",
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
        _STATE: "curand_uniform_double curand_normal_double",
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
        _STATE: "curand",
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
    "void": {
        "void": BARRIER,
        "unsigned long long, unsigned": "cudaGraphSetConditional",
        f"unsigned long long, unsigned long long, unsigned long long, {_STATE}": "curand_init",
        "unsigned": "__nanosleep",
        "float, float *, float *": "sincosf __sincosf sincospif",
        "double, double *, double *": "sincos sincospi",
    },
    "float2": {_STATE: "curand_normal2", "float2, float2": "cuCmulf cuCaddf cuCsubf cuCdivf"},
    "double2": {
        _STATE: "curand_normal2_double",
        "double2, double2": "cuCmul cuCadd cuCsub cuCdiv",
        "double2": "cuConj",
    },
    "float4": {_STATE: "curand_uniform4 curand_normal4"},
}
_PROTOTYPES = {
    name: f"{result} {name}({parameters});\n#pragma acc routine({name}) seq\n"
    for result, kinds in (*_MAKERS.items(), *_FUNCTIONS.items())
    for parameters, names in kinds.items()
    for name in names.split()
}
_STATES = "curandState curandStateXORWOW_t curandStateMRG32k3a curandStatePhilox4_32_10_t curandStateSobol32"
_RANDOM = "typedef struct curandStateXORWOW { unsigned words[12]; } curandStateXORWOW;\n" + "".join(
    f"typedef curandStateXORWOW {name};\n" for names in (_STATES, "curandState_t") for name in names.split()
)
_PLACES = "".join(f"static unsigned {name}_{axis};\n" for name in POSITIONS for axis in "xyz")
_HEADERS = "".join(
    f"#include <{name}.h>\n" for name in ["math", "stddef", "stdint", "limits", "float", "time", "stdio"]
)
_TYPES = """\
typedef unsigned int uint;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned long ulong;
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
typedef unsigned long long cudaGraphConditionalHandle;
typedef float2 cuFloatComplex;
typedef float2 cuComplex;
typedef double2 cuDoubleComplex;
typedef float2 cufftComplex;
typedef double2 cufftDoubleComplex;
typedef float cufftReal;
typedef double cufftDoubleReal;
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
"""

CONSTANTS = """\
#define CUDART_PI_F 3.141592654f
#define CUDART_INF_F 1e40f
#define CUDART_PI 3.1415926535897931
"""

_WORD = re.compile(r"[A-Za-z_]\w*")


def declared(texts: Sequence[str]) -> str:
    """The types, functions and variables of CUDA that kernels use; of functions and vectors those that texts name.

    A view of all of them takes the front end twice as long.
    """
    words = {word for text in texts for word in _WORD.findall(text)}
    joins = any("##" in text for text in texts)
    functions = [name for name in _PROTOTYPES if joins or name in words]
    vectors = words | _NAMED | {name.removeprefix("make_") for name in functions}
    parts = [text for name, text in _VECTORS.items() if joins or name in vectors]
    parts += (_TYPES, _RANDOM, *(_PROTOTYPES[name] for name in functions), _PLACES)
    return _HEADERS + "#define __CUDACC__ 1\n" + "".join(parts)
