r"""Calls of the C library, and of GNU C's functions that count bits, as kernels can make them.

Before: ``puts("end"); abort();`` After: ``printf("end\n"); accache_fail("abort()", "file.c", 7, "main");``
Before: ``__builtin_ctzl(m)`` After: ``__builtin_ffsll((unsigned long long)m) - 1``
"""

from __future__ import annotations

import re

from accache.base.diagnostics import Reporter
from accache.base.text import Location
from accache.frontend.c.types import string_type
from accache.ir.build import INT
from accache.ir.builtins import FAIL, MATHEMATICAL, MEMORY_CALLS, PRINT
from accache.ir.tree import (
    Binary,
    Call,
    Cast,
    Comma,
    Conditional,
    Evaluate,
    Expr,
    If,
    IntLiteral,
    SizeOf,
    Stmt,
    StringLiteral,
    Unary,
    Variable,
)
from accache.ir.types import Arithmetic, Pointer, Void

_CONVERSION = (
    r"%(?P<flags>[-+ #0]*)(?P<width>\*|\d*)(?P<precision>\.(?:\*|\d*))?"
    r"(?P<size>hh|h|ll|l|j|z|t|L|)(?P<letter>[A-Za-z%])"
)
_LETTERS = {"": "cdiouxXpeEfgGaAs", "h": "diouxX", "l": "diouxXeEfgGaA", "ll": "diouxX"}
"""What CUDA's printf converts (CUDA C++ Programming Guide, Formatted Output), by size."""
_LONG = ("j", "z", "t")
"""Sizes of printf in C that are long's here, and that CUDA does not name."""
_MOST_ARGUMENTS = 32
_FAILING = ("abort", "__builtin_abort", "__builtin_trap", "__builtin_unreachable")
"""What ends the program, or stands where it never comes to."""
_FILES = {"fprintf": 0, "fputs": 1, "fputc": 1, "putc": 1}
"""Functions that write to a file, and which of their arguments it is."""
_COUNTING_BITS = r"__builtin_(?P<name>popcount|parity|clz|ctz|ffs)(?P<size>l{0,2})"
_COUNTED_BY = {"parity": "popcount", "ctz": "ffs"}
_COUNTED_AS = {"": Arithmetic("int", unsigned=True), "ll": Arithmetic("long long", unsigned=True)}
"""Functions that count bits, by those that CUDA has, too, and what these take."""


def library_call(
    name: str, where: Location, arguments: tuple[Expr, ...], function: str, *, reporter: Reporter
) -> Expr | None:
    """What a kernel does for a call of the C library, or of one that counts bits; None for other calls.

    ``function`` is the one in which the call stands. Reports what CUDA's printf cannot do (ACC357).
    """
    plain = name.removeprefix("__builtin_")
    if not arguments and name in _FAILING:
        what = f"{plain if plain == 'abort' else name}()"
        texts = [text_literal(text, where) for text in (what, where.file, function)]
        line = IntLiteral(INT, where, where.line, str(where.line))
        return Call(Void(), where, FAIL, (*texts[:2], line, texts[2]))
    if name == "__assert_fail":
        return Call(Void(), where, FAIL, arguments)
    if name == "__builtin_expect" and len(arguments) == 2:
        return Cast(Arithmetic("long"), where, arguments[0])
    if name != plain and plain in MATHEMATICAL:
        return Call(Arithmetic(MATHEMATICAL[plain]), where, plain, arguments)
    if plain in MEMORY_CALLS:
        return Call(Pointer(Void()), where, plain, arguments)
    if plain in _FILES and len(arguments) > _FILES[plain]:
        place = arguments[_FILES[plain]]
        if isinstance(place, Variable) and place.name == "stdout":
            rest = tuple(argument for argument in arguments if argument is not place)
            plain = {"fprintf": PRINT, "fputs": "fputs"}.get(plain, "putchar")
            return _printed(plain, where, rest, reporter)
    if plain in (PRINT, "puts", "putchar"):
        return _printed(plain, where, arguments, reporter)
    return _bit_call(name, where, arguments)


def checked(where: Location, expr: Expr) -> Stmt:
    """The statement of an expression; assert of <assert.h> becomes a condition as a programmer writes it."""
    measured = isinstance(expr, Comma) and isinstance(expr.left, Cast) and isinstance(expr.left.operand, SizeOf)
    value = expr.right if isinstance(expr, Comma) and measured else expr
    if isinstance(value, Conditional) and isinstance(value.otherwise, Call) and value.otherwise.function == FAIL:
        fails = Unary(INT, where, "!", value.condition)
        return If(where, fails, Evaluate(where, value.otherwise))
    return Evaluate(where, expr)


def text_literal(text: str, where: Location) -> StringLiteral:
    """The string literal of a text."""
    spelling = text.replace("\\", "\\\\").replace('"', '\\"')
    return literal(f'"{spelling}"', where)


def literal(spelling: str, where: Location) -> StringLiteral:
    """A string literal as it is spelled."""
    return StringLiteral(Pointer(string_type(spelling).element), where, spelling)


def _printed(name: str, where: Location, arguments: tuple[Expr, ...], reporter: Reporter) -> Call:
    """A call of printf for one of a function that writes to standard output."""
    if name == PRINT:
        return Call(INT, where, PRINT, (_format(arguments, where, reporter), *arguments[1:]))
    first = arguments[0] if arguments else None
    if name != "putchar" and isinstance(first, StringLiteral) and "%" not in first.spelling:
        end = "\\n" if name == "puts" else ""
        return Call(INT, where, PRINT, (literal(f'{first.spelling[:-1]}{end}"', where),))
    spelling = {"puts": '"%s\\n"', "fputs": '"%s"'}.get(name, '"%c"')
    return Call(INT, where, PRINT, (literal(spelling, where), *arguments))


def _format(arguments: tuple[Expr, ...], where: Location, reporter: Reporter) -> Expr:
    """The format of printf as CUDA reads it; what it cannot read is reported."""
    given = arguments[0] if arguments else None
    if not isinstance(given, StringLiteral) or not given.spelling.startswith('"'):
        reporter.report("ACC357", where, reason="its format is no string literal, so nobody knows what it converts")
        return given or literal('""', where)
    if (count := len(arguments) - 1) > _MOST_ARGUMENTS:
        reporter.report("ACC357", where, reason=f"these are {count} values; there may be {_MOST_ARGUMENTS}")

    def converted(found: re.Match[str]) -> str:
        size = "l" if found["size"] in _LONG else found["size"]
        if found["letter"] == "%":
            return found.group()
        if found["letter"] not in _LETTERS.get(size, "") or found["precision"] == ".*":
            reporter.report("ACC357", where, reason=f"CUDA's printf does not know {found.group()}")
        start = found.start("size") - found.start()
        return found.group()[:start] + size + found["letter"]

    return literal(re.sub(_CONVERSION, converted, given.spelling), given.location)


def _bit_call(function: str, where: Location, arguments: tuple[Expr, ...]) -> Expr | None:
    """What a kernel does for a call that counts bits; None for other calls."""
    found = re.fullmatch(_COUNTING_BITS, function)
    if found is None or len(arguments) != 1:
        return None
    name, size = found["name"], "ll" if found["size"] else ""
    bits = Cast(_COUNTED_AS[size], where, arguments[0])
    count = Call(INT, where, f"__builtin_{_COUNTED_BY.get(name, name)}{size}", (bits,))
    one = IntLiteral(INT, where, 1, "1")
    if name == "parity":
        return Binary(INT, where, "&", count, one)
    return Binary(INT, where, "-", count, one) if name == "ctz" else count
