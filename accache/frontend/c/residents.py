"""Variables of the file in routines: the device has them where a declare directive says so.

Before: ``table[i] + scale``. After: ``table_device[i] + *scale_device``, pointers to the copies on the device.
"""

from __future__ import annotations

from pycparser import c_ast

from accache.base.text import Location
from accache.frontend.c.scope import Scope, Symbol
from accache.ir.tree import Cast, Expr, Unary, Variable
from accache.ir.types import Array, CType, Pointer, resolve


def pointer_to(ctype: CType) -> Pointer:
    """The type of the pointer to the copy of a variable: to an array's elements, or to the variable."""
    plain = resolve(ctype)
    return Pointer(plain.element if isinstance(plain, Array) else ctype)


def place_of(symbol: Symbol, where: Location) -> Expr:
    """What a routine uses for a variable that lives on the device."""
    pointer = Variable(pointer_to(symbol.type), where, symbol.resident)
    return pointer if isinstance(resolve(symbol.type), Array) else Unary(symbol.type, where, "*", pointer)


def resident_array(node: object, scope: Scope) -> Symbol | None:
    """The array that a node names, if routines reach it by a pointer; None for all else."""
    symbol = scope.variables.get(node.name) if isinstance(node, c_ast.ID) else None
    return symbol if symbol is not None and symbol.resident and isinstance(resolve(symbol.type), Array) else None


def address_of(node: object, scope: Scope, where: Location) -> Expr | None:
    """The address of a variable that lives on the device; None for all other operands of ``&``."""
    symbol = scope.variables.get(node.name) if isinstance(node, c_ast.ID) else None
    if symbol is None or not symbol.resident:
        return None
    pointer = Variable(pointer_to(symbol.type), where, symbol.resident)
    return Cast(Pointer(symbol.type), where, pointer) if isinstance(resolve(symbol.type), Array) else pointer


def by_pointer(base: Expr) -> Expr | None:
    """The pointer by which a structure on the device is reached, so that its members follow ``->``."""
    if isinstance(base, Unary) and base.op == "*" and isinstance(base.operand, Variable):
        return base.operand
    return None
