"""The functions a kernel may call: those of <math.h> and <stdlib.h> that CUDA has under the same name."""

from __future__ import annotations

_MATH = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "hypot",
    "ilogb",
    "ldexp",
    "lgamma",
    "llrint",
    "llround",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "lrint",
    "lround",
    "nearbyint",
    "nextafter",
    "pow",
    "remainder",
    "rint",
    "round",
    "scalbln",
    "scalbn",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
]

CLASSIFYING = frozenset(("isfinite", "isinf", "isnan", "signbit"))
"""Macros of <math.h> in C that take any floating type; overloaded functions in CUDA."""

PURE_CALLS = (
    frozenset(_MATH) | frozenset(f"{name}f" for name in _MATH) | frozenset(("abs", "labs", "llabs")) | CLASSIFYING
)

_INTEGERS = {"ilogb": "int", "lrint": "long", "lround": "long", "llrint": "long long", "llround": "long long"}
MATHEMATICAL = {
    **{name: _INTEGERS.get(name, "double") for name in _MATH},
    **{f"{name}f": _INTEGERS.get(name, "float") for name in _MATH},
    "abs": "int",
    "labs": "long",
    "llabs": "long long",
}
"""The types of what these functions give, which the compiler knows as its own, too: ``__builtin_sqrt``."""

COMPILER_CALLS = {
    **{f"__builtin_{name}": name for name in CLASSIFYING},
    **{f"__builtin_{name}f": name for name in CLASSIFYING},
    "__builtin_isinf_sign": "isinf",
}
"""What the C compiler's <math.h> makes of those macros."""

COMPILER_CONSTANTS = {
    "__builtin_huge_val": ("double", "HUGE_VAL"),
    "__builtin_huge_valf": ("float", "HUGE_VALF"),
    "__builtin_inf": ("double", "HUGE_VAL"),
    "__builtin_inff": ("float", "INFINITY"),
    "__builtin_nanf": ("float", "NAN"),
}
"""Constants of <math.h> that the C compiler makes by a call: their types and names."""

COMPILER_COMPARISONS = {
    "__builtin_isgreater": ">",
    "__builtin_isgreaterequal": ">=",
    "__builtin_isless": "<",
    "__builtin_islessequal": "<=",
}
"""Comparisons that differ from the operator only in floating-point exceptions, which a GPU has not."""

COMPLEX_CALLS = {
    f"{name}{suffix}": (part, f"accache_{name}")
    for name in ("cabs", "cimag", "conj", "creal")
    for suffix, part in (("", "double"), ("f", "float"))
}
"""Functions of <complex.h> that kernels may call: of what their argument is made, and their names there."""

COMPLEX_CONSTRUCTOR = "__builtin_complex"
"""What CMPLX of <complex.h> becomes: a complex number of its two parts."""

COMPLEX_NAMES = {name: printed for name, (_, printed) in COMPLEX_CALLS.items()}
"""What kernels and stubs call those functions."""

BIT_CALLS = {
    f"__builtin_{name}{suffix}": f"{printed}{suffix}"
    for name, printed in (("popcount", "__popc"), ("clz", "__clz"), ("ffs", "__ffs"))
    for suffix in ("", "ll")
}
"""What the C compiler knows of bits, and CUDA under other names."""

DEVICE_CALLS = {"acc_on_device": "accache_on_device", **COMPLEX_NAMES, **BIT_CALLS}
"""Functions of openacc.h, complex.h and the C compiler that kernels may call, and their names there."""


HEAP_CALLS = frozenset(("malloc", "free"))
"""What takes memory from the heap, each call a block of its own, and gives it back."""


MEMORY_CALLS = frozenset(("memcpy", "memset"))
"""What copies or fills memory; ``analysis.resolve`` knows which."""

PRINT = "printf"
"""What writes to the host's standard output: what one thread prints for all, no other prints again."""

FAIL = "accache_fail"
"""What abort and assert of the program become: the device stops, and the program ends with an error."""

ENDING_CALLS = frozenset(("exit", "_exit", "_Exit", "quick_exit", "__builtin_exit"))
"""What ends a program with a status of its own."""


def is_pure_call(function: str) -> bool:
    """Whether a call computes a value and does nothing else; it does not matter how many threads make it."""
    return function in PURE_CALLS or function in DEVICE_CALLS or function in (COMPLEX_CONSTRUCTOR, FAIL)


LOADS_PAST_L1 = {"cg": "__ldcg", "no_allocate": "accache_load_no_allocate"}
"""What loads past L1, and what loads without taking a place in it, by the names that accache bypass has.

Wherever a call stands it loads again: compilers neither join such loads nor move them out of loops.
"""
