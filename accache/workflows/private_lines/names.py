"""The words of CUDA that matter to lines of a thread's own: exact names, as a pattern may match a user's function."""

from __future__ import annotations

FENCES = frozenset(("__threadfence", "__threadfence_block", "__threadfence_system"))
BARRIERS = frozenset((
    "__syncthreads", "__syncthreads_count", "__syncthreads_and", "__syncthreads_or", "__syncwarp", "__barrier_sync",
    "__barrier_sync_count",
))  # fmt: skip
_ATOMICS = ["Add", "Sub", "Exch", "Min", "Max", "Inc", "Dec", "CAS", "And", "Or", "Xor"]
ATOMICS = frozenset(f"atomic{name}{scope}" for name in _ATOMICS for scope in ("", "_block", "_system"))

_REAL = (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "cos", "cosh", "cospi", "erf", "erfc",
    "erfcinv", "erfcx", "erfinv", "exp", "exp10", "exp2", "expm1", "fabs", "floor", "j0", "j1", "lgamma", "log",
    "log10", "log1p", "log2", "logb", "nearbyint", "normcdf", "normcdfinv", "rcbrt", "rint", "round", "rsqrt", "sin",
    "sinh", "sinpi", "sqrt", "tan", "tanh", "tgamma", "trunc", "y0", "y1", "atan2", "copysign", "fdim", "fma", "fmax",
    "fmin", "fmod", "hypot", "ldexp", "nextafter", "pow", "remainder", "rhypot", "scalbn", "scalbln", "ilogb",
    "lrint", "llrint", "lround", "llround",
)  # fmt: skip
_OTHER = (
    "abs", "labs", "llabs", "min", "max", "umin", "umax", "llmin", "llmax", "ullmin", "ullmax", "isnan", "isinf",
    "isfinite", "signbit", "fdividef", "saturatef", "__cosf", "__sinf", "__tanf", "__expf", "__exp10f", "__logf",
    "__log2f", "__log10f", "__powf", "__saturatef", "__fdividef", "__frcp_rn", "__fsqrt_rn", "__frsqrt_rn",
    "__fadd_rn", "__fadd_rz", "__fsub_rn", "__fmul_rn", "__fmul_rz", "__fmaf_rn", "__fmaf_rz", "__fdiv_rn",
    "__dadd_rn", "__dsub_rn", "__dmul_rn", "__ddiv_rn", "__drcp_rn", "__dsqrt_rn", "__fma_rn", "__mul24", "__umul24",
    "__mulhi", "__umulhi", "__mul64hi", "__umul64hi", "__sad", "__usad", "__hadd", "__uhadd", "__rhadd", "__urhadd",
    "__popc", "__popcll", "__clz", "__clzll", "__ffs", "__ffsll", "__brev", "__brevll", "__byte_perm",
    "__funnelshift_l", "__funnelshift_r", "__funnelshift_lc", "__funnelshift_rc", "__float_as_int", "__int_as_float",
    "__float_as_uint", "__uint_as_float", "__double_as_longlong", "__longlong_as_double", "__double2hiint",
    "__double2loint", "__hiloint2double", "__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync",
    "__ballot_sync", "__any_sync", "__all_sync", "__activemask", "__match_any_sync", "__reduce_add_sync",
    "__reduce_min_sync", "__reduce_max_sync", "__reduce_and_sync", "__reduce_or_sync", "__reduce_xor_sync",
    "__nanosleep", "__trap", "clock", "clock64",
)  # fmt: skip
_MODES = tuple(
    f"__{one}2{other}_r{mode}"
    for one, others in {
        "float": ("int", "uint", "ll", "ull"),
        "double": ("int", "uint", "ll", "ull", "float"),
        "int": ("float",),
        "uint": ("float",),
        "ll": ("float", "double"),
        "ull": ("float", "double"),
    }.items()
    for other in others
    for mode in "nzud"
)
PURE = frozenset((*_REAL, *(f"{name}f" for name in _REAL), *_OTHER, *_MODES, "__int2double_rn", "__uint2double_rn"))
"""Functions of CUDA that take numbers, give a number, and reach no memory."""

GROUPS = frozenset(("this_thread_block", "this_grid", "coalesced_threads"))
"""What gives a group of threads, in namespace cooperative_groups."""
GROUP_NUMBERS = frozenset(("thread_rank", "size", "num_threads", "num_blocks", "block_rank"))
GROUP_TYPES = frozenset(("thread_block", "grid_group", "coalesced_group"))

POSITIONS = frozenset(("threadIdx", "blockIdx", "blockDim", "gridDim"))
NUMBERS = frozenset((
    "true", "false", "nullptr", "NULL", "warpSize", "CHAR_BIT", "CHAR_MIN", "CHAR_MAX", "SCHAR_MIN", "SCHAR_MAX",
    "UCHAR_MAX", "SHRT_MIN", "SHRT_MAX", "USHRT_MAX", "INT_MIN", "INT_MAX", "UINT_MAX", "LONG_MIN", "LONG_MAX",
    "ULONG_MAX", "LLONG_MIN", "LLONG_MAX", "ULLONG_MAX", "SIZE_MAX", "INT8_MAX", "INT16_MAX", "INT32_MAX",
    "INT64_MAX", "INT32_MIN", "INT64_MIN", "UINT8_MAX", "UINT16_MAX", "UINT32_MAX", "UINT64_MAX", "FLT_MIN",
    "FLT_MAX", "FLT_EPSILON", "DBL_MIN", "DBL_MAX", "DBL_EPSILON", "INFINITY", "NAN", "HUGE_VAL", "HUGE_VALF", "M_E",
    "M_LOG2E", "M_LOG10E", "M_LN2", "M_LN10", "M_PI", "M_PI_2", "M_PI_4", "M_1_PI", "M_2_PI", "M_2_SQRTPI", "M_SQRT2",
    "M_SQRT1_2", "CUDART_INF", "CUDART_INF_F", "CUDART_NAN", "CUDART_NAN_F", "CUDART_PI", "CUDART_PI_F",
))  # fmt: skip
"""What stands for a number in headers that are not read."""
RESTRICT = frozenset(("__restrict__", "__restrict", "restrict"))
