"""C types as C++ sees them: their spelling, which conversions need a cast, and constants in initialisers."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from pycparser import c_ast

from accache.frontend.c.literals import character_value, integer_literal
from accache.ir.tree import IntLiteral, Raw
from accache.ir.types import (
    SIZES,
    Arithmetic,
    Array,
    Complex,
    CType,
    Enum,
    Function,
    Named,
    Pointer,
    Record,
    Void,
    element_type,
    is_const,
    is_integer,
    is_volatile,
    resolve,
    unqualified,
)


def spell(ctype: CType, declarator: str = "", rename: Callable[[str], str] = str) -> str:
    """A declaration of ``declarator``, or the bare type; empty where the type has no name.

    >>> spell(Pointer(Array(Arithmetic("float"), None)), "p")
    'float (*p)[]'
    """
    if isinstance(ctype, Pointer):
        inner = f"*{'const ' if ctype.const else ''}{declarator}".rstrip()
        if isinstance(ctype.target, (Array, Function)):
            inner = f"({inner})"
        return spell(ctype.target, inner, rename)
    if isinstance(ctype, Array):
        length = ctype.length.value if isinstance(ctype.length, IntLiteral) else getattr(ctype.length, "text", "")
        return spell(ctype.element, f"{declarator}[{length}]", rename)
    if isinstance(ctype, Function):
        parameters = [spell(parameter, "", rename) for parameter in ctype.parameters]
        if not all(parameters):
            return ""
        text = ", ".join([*parameters, *(["..."] if ctype.variadic else [])]) or "void"
        return spell(ctype.result, f"{declarator}({text})", rename)
    words = _words(ctype, rename)
    return f"{words} {declarator}".strip() if words else ""


def _words(ctype: CType, rename: Callable[[str], str]) -> str:
    const = "const " if getattr(ctype, "const", False) else ""
    if isinstance(ctype, Named):
        return "" if ctype.name.startswith("__accache") else const + rename(ctype.name)
    if isinstance(ctype, Void):
        return f"{const}void"
    if isinstance(ctype, Complex):
        return f"{const}{ctype.of} _Complex"
    if isinstance(ctype, Arithmetic):
        sign = "unsigned " if ctype.unsigned else "signed " if ctype.signed_char else ""
        name = "bool" if ctype.name == "_Bool" else ctype.name
        return f"{const}{'volatile ' if ctype.volatile else ''}{sign}{name}"
    if isinstance(ctype, Record):
        return "" if ctype.tag.startswith("<") else f"{const}{ctype.keyword} {rename(ctype.tag)}"
    return f"{const}enum {rename(ctype.tag)}" if isinstance(ctype, Enum) and ctype.tag else ""


def decayed(ctype: CType) -> CType:
    """Arrays and functions as the pointers that expressions make of them."""
    plain = resolve(ctype)
    if isinstance(plain, Array):
        return Pointer(plain.element)
    return Pointer(plain) if isinstance(plain, Function) else ctype


def same(left: CType, right: CType) -> bool:
    """Whether two types are compatible, their outermost qualifiers left aside."""
    left, right = unqualified(resolve(left)), unqualified(resolve(right))
    if isinstance(left, Pointer) and isinstance(right, Pointer):
        return same(left.target, right.target) and is_const(left.target) == is_const(right.target)
    if isinstance(left, Array) and isinstance(right, Array):
        sizes = {item.length.value for item in (left, right) if isinstance(item.length, IntLiteral)}
        return same(left.element, right.element) and len(sizes) < 2
    if isinstance(left, Function) and isinstance(right, Function):
        return (
            len(left.parameters) == len(right.parameters)
            and left.variadic == right.variadic
            and same(left.result, right.result)
            and all(map(same, map(decayed, left.parameters), map(decayed, right.parameters)))
        )
    if isinstance(left, Record) and isinstance(right, Record):
        return (left.keyword, left.tag) == (right.keyword, right.tag)
    if isinstance(left, Enum) and isinstance(right, Enum):
        return left.tag == right.tag and (bool(left.tag) or left.values == right.values)
    if isinstance(left, Arithmetic) and isinstance(right, Arithmetic):
        return (left.name, left.unsigned, left.signed_char) == (right.name, right.unsigned, right.signed_char)
    return left == right


def pointer_conversion(target: CType, source: CType) -> str:
    """What C++ needs to convert one pointer to another: "" nothing, "cast", or "refuse"."""
    wanted, given = element_type(target), element_type(source)
    if wanted is None or given is None:
        return ""
    to, of = resolve(wanted), resolve(given)
    qualified = (is_const(given) and not is_const(wanted)) or (is_volatile(given) and not is_volatile(wanted))
    if isinstance(to, Void):
        return "cast" if qualified or isinstance(of, Function) else ""
    if isinstance(of, Void):
        return "cast"
    if same(to, of):
        return "cast" if qualified else ""
    if is_integer(to) and is_integer(of) and _size(to) == _size(of):
        return "cast"  # they differ in sign, or one is an enumeration
    if isinstance(to, Pointer) and isinstance(of, Pointer) and same(unqualified(resolve(to.target)), of.target):
        return "" if to.const and is_const(to.target) else "cast"
    return "cast" if _same_below_const(to, of) else "refuse"


def _same_below_const(left: CType, right: CType) -> bool:
    """Whether two types differ at most in const at some depth of pointers and arrays."""
    first, second = element_type(left), element_type(right)
    if first is not None and second is not None and type(resolve(left)) is type(resolve(right)):
        return _same_below_const(first, second)
    return same(left, right)


def _size(ctype: CType) -> int:
    return ctype.size if isinstance(ctype, Arithmetic) else 4


def constant(node: Any, enumerators: dict[str, int]) -> int | float | None:
    """The value of a simple constant expression; None where it is not one."""
    if isinstance(node, c_ast.Constant):
        if node.type == "char" or "'" in node.value:
            return _character(node.value)
        if "int" in node.type:
            return integer_literal(node.value)[0]
        if node.type == "string":
            return None
        return float.fromhex(node.value.rstrip("fFlL")) if "x" in node.value.lower() else _float(node.value)
    if isinstance(node, c_ast.ID):
        return enumerators.get(node.name)
    if isinstance(node, c_ast.UnaryOp) and node.op in ("-", "+", "~"):
        value = constant(node.expr, enumerators)
        if value is None or (node.op == "~" and isinstance(value, float)):
            return None
        return -value if node.op == "-" else value if node.op == "+" else ~int(value)
    if isinstance(node, c_ast.BinaryOp):
        return _binary(node.op, constant(node.left, enumerators), constant(node.right, enumerators))
    return None


def _character(text: str) -> int | None:
    try:
        return character_value(text)
    except ValueError:
        return None


def _float(text: str) -> float | None:
    try:
        return float(text.rstrip("fFlL"))
    except ValueError:
        return None


def _binary(op: str, left: float | None, right: float | None) -> int | float | None:
    if left is None or right is None:
        return None
    if op == "/" and right:
        exact = isinstance(left, int) and isinstance(right, int)
        return int(left / right) if exact else left / right
    if op in ("<<", ">>", "|", "&") and isinstance(left, int) and isinstance(right, int) and 0 <= right < 64:
        return {"<<": left << right, ">>": left >> right, "|": left | right, "&": left & right}[op]
    values: dict[str, float] = {"+": left + right, "-": left - right, "*": left * right}
    return values.get(op)


def narrows(target: CType, source: CType, value: int | float | None) -> bool:
    """Whether C++ calls the conversion narrowing in a braced initialiser; ``value`` is that of a constant."""
    to, of = resolve(target), resolve(source)
    of = Arithmetic("int") if isinstance(of, Enum) else of
    if not isinstance(to, Arithmetic) or not isinstance(of, Arithmetic):
        return False
    if is_integer(to):
        low, high = _limits(to)
        if not is_integer(of):
            return True
        if value is not None:
            return not low <= value <= high
        least, most = _limits(of)
        return least < low or most > high
    if is_integer(of):
        return value is None or not _exact(to, int(value))
    return value is None and SIZES[to.name] < SIZES[of.name]


def _limits(ctype: Arithmetic) -> tuple[int, int]:
    if ctype.name == "_Bool":
        return 0, 1
    bits = 8 * ctype.size
    return (0, 2**bits - 1) if ctype.unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def _exact(ctype: Arithmetic, value: int) -> bool:
    """Whether a floating type holds an integer exactly."""
    if ctype.name == "float":
        return abs(value) < 2**128 and struct.unpack("f", struct.pack("f", value))[0] == value
    return ctype.name == "long double" or float(value) == value


def length(node: Any, enumerators: dict[str, int], text: str, where: Any) -> IntLiteral | Raw:
    """An array length: its value if it is constant, else its text."""
    value = constant(node, enumerators)
    if isinstance(value, int):
        return IntLiteral(Arithmetic("int"), where, value, text)
    return Raw(Arithmetic("int"), where, text)
