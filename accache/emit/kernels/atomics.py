"""Atomic accesses as CUDA: a function of CUDA where one does exactly this, else a routine of our own."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from accache.emit import templates
from accache.emit.expressions import LEVELS
from accache.emit.printer import INDENT, Printer
from accache.ir.openacc.atomics import AtomicAccess, atomic_access
from accache.ir.tree import (
    Assign,
    Atomic,
    Binary,
    Block,
    Cast,
    Declare,
    Evaluate,
    Expr,
    FloatLiteral,
    IntLiteral,
    Raw,
    Stmt,
    Unary,
    Variable,
)
from accache.ir.types import Arithmetic, as_const, holds, is_integer, is_volatile, promoted, resolve, unqualified
from accache.ir.walk import nodes_of, used_variables

WORDS = {
    "=": "exchange", "+": "add", "-": "sub", "*": "mul", "/": "div", "&": "and", "|": "or", "^": "xor", "<<": "shl",
    ">>": "shr", "min": "min", "max": "max",
}  # fmt: skip
TESTS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
INT, UNSIGNED, LONG, UNSIGNED_LONG = "int", "unsigned", "long long", "unsigned long long"
TYPES = {
    INT: Arithmetic("int"), UNSIGNED: Arithmetic("int", unsigned=True), LONG: Arithmetic("long long"),
    UNSIGNED_LONG: Arithmetic("long long", unsigned=True), "float": Arithmetic("float"),
    "double": Arithmetic("double"),
}  # fmt: skip
NATIVE = {
    "+": ("atomicAdd", {INT: INT, UNSIGNED: UNSIGNED, LONG: UNSIGNED_LONG, UNSIGNED_LONG: UNSIGNED_LONG,
                        "float": "float", "double": "double"}),
    "-": ("atomicSub", {INT: INT, UNSIGNED: UNSIGNED}),
    **{op: (name, {INT: INT, UNSIGNED: UNSIGNED, LONG: UNSIGNED_LONG, UNSIGNED_LONG: UNSIGNED_LONG})
       for op, name in (("&", "atomicAnd"), ("|", "atomicOr"), ("^", "atomicXor"))},
    **{op: (name, {INT: INT, UNSIGNED: UNSIGNED, LONG: LONG, UNSIGNED_LONG: UNSIGNED_LONG})
       for op, name in (("min", "atomicMin"), ("max", "atomicMax"))},
}  # fmt: skip
"""For each operator CUDA's function, and the type it works on for each type of place."""


class Emulated(Struct, frozen=True):
    """An access by a routine of our own.

    ``result`` is what becomes of ``old`` and ``value``; ``is_new`` if that is returned too.
    """

    word: str
    result: str = ""
    is_new: bool = False

    @property
    def name(self) -> str:
        """What the kernels call."""
        return f"accache_atomic_{self.word}{'_fetch' if self.is_new else ''}"

    @property
    def meaning(self) -> str:
        """The result in terms of the place."""
        return self.result.replace("old", "x")


class Native(Struct, frozen=True):
    """A function of CUDA on a place of type ``pointer``; ``negated`` where it adds what is subtracted."""

    function: str
    pointer: str
    negated: bool = False


def emulated_in(stmts: Iterable[Stmt]) -> tuple[Emulated, ...]:
    """The routines that atomic constructs below some statements call."""
    found = (_operation(atomic_access(node)) for stmt in stmts for node in nodes_of(stmt, Atomic))
    return tuple(sorted({item for item in found if isinstance(item, Emulated)}, key=lambda item: item.name))


def print_emulated(needed: Iterable[Emulated]) -> str:
    """The text of routines; '' if there are none."""
    views = list(needed)
    if not views:
        return ""
    changing = [view for view in views if view.result]
    text = templates.render("cuda/atomics.cu.jinja", words={view.word for view in views}, changing=changing)
    return text.rstrip("\n") + "\n\n"


def print_atomic(printer: Printer, stmt: Atomic, depth: int) -> list[str]:
    """The lines of an atomic construct."""
    access = atomic_access(stmt)
    if access.captures_new and isinstance(_operation(access), Native) and not _is_repeatable(printer, access.value):
        return _with_value(printer, stmt, access, depth)
    return [f"{INDENT * depth}{_text(printer, access)};"]


def _with_value(printer: Printer, stmt: Atomic, access: AtomicAccess, depth: int) -> list[str]:
    """The construct behind a declaration of its value, which stands in it twice."""
    assert access.value is not None
    taken = {printer.name(name) for name in used_variables(stmt)}
    name = next(name for name in ("value", "operand", *(f"value{k}" for k in range(2, 99))) if name not in taken)
    where, ctype = stmt.location, unqualified(access.place.type)
    value = Variable(ctype, where, f"{name}#")
    declare = Declare(where, value.name, as_const(ctype), access.value)
    text = Raw(ctype, where, f"{_text(printer, replace(access, value=value))}")
    return printer.statement(Block(where, (declare, Evaluate(where, text))), depth)


def _text(printer: Printer, access: AtomicAccess) -> str:
    """The construct as one expression."""
    call, level = _call(printer, access)
    captured = access.captured
    if captured is None:
        return call
    where = captured.location
    if access.captures_new and isinstance(_operation(access), Native):
        assert access.value is not None
        new = Binary(access.value.type, where, access.operator, Raw(access.value.type, where, call), access.value)
        whole: Expr = new if _has_place_type(access) else Cast(unqualified(access.place.type), where, new)
    else:
        whole = Raw(access.place.type, where, call if level >= LEVELS["unary"] else f"({call})")
    return printer.expression(Assign(captured.type, captured.location, "=", captured, whole))


def _has_place_type(access: AtomicAccess) -> bool:
    """Whether the place's type combined with the value's is the place's type again."""
    assert access.value is not None
    if isinstance(access.value, IntLiteral) and access.value.type == Arithmetic("int"):
        return True
    return unqualified(resolve(access.value.type)) == unqualified(resolve(access.place.type))


def _call(printer: Printer, access: AtomicAccess) -> tuple[str, int]:
    """The call alone, and how strongly it binds."""
    operation = _operation(access)
    plain = unqualified(access.place.type)
    if isinstance(operation, Emulated):
        place = _address(printer, access.place, printer.type(plain) if is_volatile(access.place.type) else "")
        values = [printer.expression(access.value, LEVELS["="])] if access.value is not None else []
        return f"{operation.name}({', '.join([place, *values])})", LEVELS["postfix"]
    spelled = printer.type(access.place.type)
    place = _address(printer, access.place, "" if spelled == operation.pointer else operation.pointer)
    assert access.value is not None
    call = f"{operation.function}({place}, {printer.expression(_operand(access, operation), LEVELS['='])})"
    if access.captured is None or operation.pointer == spelled or is_integer(access.captured.type):
        return call, LEVELS["postfix"]
    return f"({printer.type(plain)}){call}", LEVELS["unary"]


def _operand(access: AtomicAccess, operation: Native) -> Expr:
    """What is passed to CUDA's function."""
    value = access.value
    assert value is not None
    where, ctype = value.location, TYPES[operation.pointer]
    if isinstance(value, IntLiteral) and operation.pointer in ("float", "double"):
        value = FloatLiteral(ctype, where, f"{value.value}.0{'f' if operation.pointer == 'float' else ''}")
    if not operation.negated:
        return value
    if isinstance(value, IntLiteral):
        value = IntLiteral(ctype, where, value.value, f"{value.value}ULL")
    elif unqualified(resolve(value.type)) != ctype:
        value = Cast(ctype, where, value)
    return Unary(ctype, where, "-", value)


def _address(printer: Printer, place: Expr, pointer: str) -> str:
    """The address of a place, as a pointer to another type if one is named."""
    while isinstance(place, Cast):
        place = place.operand
    if isinstance(place, Variable) and place.name in printer.dereferenced:
        text = printer.name(place.name)
    elif isinstance(place, Unary) and place.op == "*":
        text = printer.expression(place.operand, LEVELS["unary"] if pointer else LEVELS["="])
    else:
        text = f"&{printer.expression(place, LEVELS['unary'])}"
    return f"({pointer} *){text}" if pointer else text


def _operation(access: AtomicAccess) -> Native | Emulated:
    """How CUDA does an access."""
    if not access.operator:
        return Emulated("read")
    if access.operator == "=" and access.captured is None:
        return Emulated("write")
    return _native(access) or _routine(access)


def _native(access: AtomicAccess) -> Native | None:
    """The function of CUDA that does an access; None if there is none with the meaning of C."""
    assert access.value is not None
    ctype, value = resolve(access.place.type), access.value
    if not isinstance(ctype, Arithmetic) or access.operator not in NATIVE or access.value_first:
        return None
    word = _word(ctype)
    if not _keeps_meaning(ctype, value, access):
        return None
    function, pointers = NATIVE[access.operator]
    if word in pointers:
        return Native(function, pointers[word])
    adding, pointers = NATIVE["+"]
    if access.operator == "-" and word in pointers:
        return Native(adding, pointers[word], negated=True)
    return None


def _keeps_meaning(ctype: Arithmetic, value: Expr, access: AtomicAccess) -> bool:
    """Whether converting the value to the place's type before the operation gives what C gives."""
    other = resolve(value.type)
    if not ctype.is_integer:
        if access.captures_new or access.operator in ("min", "max"):
            return False
        if ctype.name == "double" or is_integer(other):
            return True
        return unqualified(other) == unqualified(ctype) or _is_float(value)
    if not is_integer(other):
        return False
    if access.operator not in ("min", "max"):
        return True
    return access.test in TESTS and not access.captures_new and _fits(ctype, value)


def _fits(ctype: Arithmetic, value: Expr) -> bool:
    """Whether an integer's value is the same in the place's type, and compares there as in C."""
    other = resolve(value.type)
    if not isinstance(other, Arithmetic):
        return False
    if isinstance(value, IntLiteral):
        common = promoted(ctype, other)
        is_same = isinstance(common, Arithmetic) and (common.size, common.unsigned) == (ctype.size, ctype.unsigned)
        return is_same and value.value >= 0 and holds(ctype, value.value)
    return (other.size, other.unsigned) == (ctype.size, ctype.unsigned) or (
        other.size < ctype.size and (other.unsigned or not ctype.unsigned)
    )


def _routine(access: AtomicAccess) -> Emulated:
    """The routine of our own that does an access."""
    operator, word = access.operator, WORDS[access.operator]
    if operator == "=":
        return Emulated(word, "value", access.captures_new)
    if operator in ("min", "max"):
        return _choosing(access)
    if access.value_first:
        return Emulated(f"reversed_{word}", f"value {operator} old", access.captures_new)
    return Emulated(word, f"old {operator} value", access.captures_new)


def _choosing(access: AtomicAccess) -> Emulated:
    """A minimum or maximum; of numbers that may be none (NaN) with the user's own comparison."""
    assert access.value is not None
    word = WORDS[access.operator]
    if access.test in ("fminf", "fmaxf"):
        return Emulated(access.test, f"{access.test}(old, value)", access.captures_new)
    if access.test in ("fmin", "fmax"):
        return Emulated(access.test, f"{access.test}((double)old, (double)value)", access.captures_new)
    both = is_integer(access.place.type) and is_integer(access.value.type)
    test = "<" if both else access.test
    takes_value = (test[0] == "<") == (access.operator == "max")
    chosen = "value : old" if takes_value else "old : value"
    name = word if both else f"{word}_{TESTS[test]}"
    return Emulated(name, f"old {test} value ? {chosen}", access.captures_new)


def _word(ctype: Arithmetic) -> str:
    """The type among those CUDA's functions know; '' if there is none."""
    if ctype.name in ("float", "double"):
        return ctype.name
    if ctype.name == "int":
        return UNSIGNED if ctype.unsigned else INT
    if ctype.name in ("long", "long long"):
        return UNSIGNED_LONG if ctype.unsigned else LONG
    return ""


def _is_float(value: Expr) -> bool:
    """Whether a constant or a converted value is exactly a float."""
    if isinstance(value, Cast):
        inner = resolve(value.operand.type)
        return isinstance(inner, Arithmetic) and inner.name == "float" and not is_integer(value.type)
    if not isinstance(value, FloatLiteral):
        return False
    digits = value.spelling.rstrip("fFlL") if "x" not in value.spelling.lower() else value.spelling.rstrip("lL")
    number = float.fromhex(digits) if "x" in digits.lower() else float(digits)
    try:
        return bool(struct.unpack("f", struct.pack("f", number))[0] == number)
    except OverflowError:
        return False


def _is_repeatable(printer: Printer, value: Expr | None) -> bool:
    """Whether a value may be written down twice: a constant or one of the thread's own variables."""
    if isinstance(value, Variable):
        return value.name not in printer.dereferenced
    return isinstance(value, (IntLiteral, FloatLiteral))
