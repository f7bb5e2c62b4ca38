"""Issue slots of operations and of the C library's functions, as ``python bench/cost --calibrate`` has counted them."""

from __future__ import annotations

from accache.ir.as_polynomial import ADDRESS_SIZE
from accache.ir.constants import constant
from accache.ir.tree import Binary, Call, Expr
from accache.ir.types import Arithmetic, CType, Pointer, resolve

OPERATIONS = {
    ("/", "float"): 13.6, ("/", "double"): 30, ("/", "int"): 20, ("/", "long"): 70, ("%", "int"): 20, ("%", "long"): 70,
    ("*", "long"): 3, ("+", "long"): 2, ("-", "long"): 2,
}  # fmt: skip
"""Of operations by the kind of their operands; of others one."""
FAST_DIVISION = 5
"""Of ``div.approx.ftz.f32``, which nvcc makes of a division of floats with -use_fast_math."""
CONSTANT_DIVISION = 4
CALLS = {
    "sqrt": 13.3, "rsqrt": 3, "fabs": 0.5, "fmin": 1, "fmax": 1, "min": 1, "max": 1, "abs": 1, "exp": 8, "log": 15,
    "fma": 1, "floor": 1, "ceil": 1, "trunc": 1, "rint": 1, "copysign": 1, "exp2": 4, "log2": 12, "sin": 20, "cos": 20,
    "round": 4, "cbrt": 16, "tanh": 17, "atan": 19, "sinh": 25, "acos": 26, "hypot": 45, "fmod": 50, "pow": 71,
    "isnan": 2, "isinf": 2, "isfinite": 2, "signbit": 1, "__builtin_popcount": 1, "__builtin_popcountll": 3,
    "__builtin_clz": 2, "__builtin_clzll": 6, "__builtin_ffs": 3, "__builtin_ffsll": 10,
}  # fmt: skip
"""Of functions, of which those of floats end with an f."""
FAST_CALLS = {"sqrt": 2, "rsqrt": 1, "exp": 2, "log": 2, "exp2": 1, "log2": 1, "sin": 2, "cos": 2, "tan": 6, "pow": 4}
"""Of functions of floats with -use_fast_math."""
OTHER_CALL = 30
SLOW_CALL = 12
"""Functions of so many slots have branches."""


def call_slots(call: Call, is_fast: bool) -> float:
    """Of a call, without its arguments."""
    name = call.function
    plain = name.rstrip("f") if name.startswith(("sqrt", "exp", "log")) else name
    if is_fast and kind_of(call.type) == "float":
        found = FAST_CALLS.get(plain, FAST_CALLS.get(plain.removesuffix("f")))
        if found is not None:
            return found
    return CALLS.get(plain, CALLS.get(plain.removesuffix("f"), OTHER_CALL))


def operation_slots(op: str, ctype: CType, right: Expr, is_fast: bool) -> float:
    """Of an operation of two operands, without these."""
    if op in ("&&", "||"):
        return 0.5
    kind = kind_of(ctype)
    if op in ("/", "%") and kind in ("int", "long") and constant(right) is not None:
        return CONSTANT_DIVISION
    if is_fast and (op, kind) == ("/", "float"):
        is_root = isinstance(right, Call) and right.function == "sqrtf"
        return 0 if is_root else FAST_DIVISION  # the reciprocal of a square root is one instruction
    return OPERATIONS.get((op, kind), 1.0)


def is_approximated(expr: Expr) -> bool:
    """Whether nvcc approximates an operation with -use_fast_math."""
    if isinstance(expr, Call):
        plain = expr.function.removesuffix("f")
        return plain in FAST_CALLS and kind_of(expr.type) == "float"
    return isinstance(expr, Binary) and expr.op == "/" and kind_of(expr.type) == "float"


def has_slow_path(expr: Expr, is_fast: bool) -> bool:
    """Whether nvcc makes an operation branch for some operands, so that nothing is computed beside it."""
    if is_fast and is_approximated(expr):
        return False
    if isinstance(expr, Call):
        plain = expr.function.removesuffix("f")
        return plain == "sqrt" or CALLS.get(plain, OTHER_CALL) >= SLOW_CALL
    is_division = isinstance(expr, Binary) and expr.op == "/" and constant(expr.right) is None
    return is_division and kind_of(expr.type) in ("float", "double")


def kind_of(ctype: CType) -> str:
    """What kind of arithmetic a type has: float, double, int, or long for 64 bits and addresses."""
    plain = resolve(ctype)
    if isinstance(plain, Arithmetic):
        if plain.name in ("float", "double"):
            return plain.name
        return "long" if plain.size == ADDRESS_SIZE else "int"
    return "long" if isinstance(plain, Pointer) else "int"
