"""Initialisers in braces whose parts become complex numbers, or real ones of complex ones."""

from __future__ import annotations

from accache.ir.tree import Expr, InitList
from accache.ir.types import Array, CType, Record, is_complex, is_number, resolve


def has_complex(init: Expr, ctype: CType) -> bool:
    """Whether complex numbers take part where an initialiser gives an object of a type its value."""
    if isinstance(init, InitList):
        return _holds_complex(ctype) or any(has_complex(item, ctype) for item in init.items)
    return is_complex(init.type) or is_complex(ctype)


def part_types(ctype: CType, count: int) -> tuple[CType, ...]:
    """The types of the first ``count`` parts of an array, structure or union; none of other types."""
    plain = resolve(ctype)
    if isinstance(plain, Array):
        return (plain.element,) * count
    if not isinstance(plain, Record):
        return ()
    members = (plain.fields or ())[: 1 if plain.keyword == "union" else count]
    return tuple(member.type for member in members)


def is_braced(init: InitList, ctype: CType) -> bool:
    """Whether each array and structure inside of an initialiser has braces of its own."""
    types = part_types(ctype, len(init.items))
    return len(types) == len(init.items) and all(map(_fits, init.items, types))


def _fits(item: Expr, ctype: CType) -> bool:
    if isinstance(item, InitList):
        return is_braced(item, ctype)
    aggregate = isinstance(resolve(ctype), (Array, Record))
    number = is_number(item.type) or is_complex(item.type)
    return not (aggregate and number)


def _holds_complex(ctype: CType) -> bool:
    plain = resolve(ctype)
    if isinstance(plain, Record):
        return any(_holds_complex(member.type) for member in plain.fields or ())
    return _holds_complex(plain.element) if isinstance(plain, Array) else is_complex(plain)
