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

PURE_CALLS = frozenset(_MATH) | frozenset(f"{name}f" for name in _MATH) | frozenset(("abs", "labs", "llabs"))


def is_pure_call(function: str) -> bool:
    """Whether a call computes a value and does nothing else."""
    return function in PURE_CALLS
