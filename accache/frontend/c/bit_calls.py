"""GNU C's functions that count bits, by those that CUDA has, too.

Before: ``__builtin_ctzl(m)`` After: ``__builtin_ffsll((unsigned long long)m) - 1``
"""

from __future__ import annotations

import re

from accache.base.text import Location
from accache.ir.build import INT
from accache.ir.tree import Binary, Call, Cast, Expr, IntLiteral
from accache.ir.types import Arithmetic

_COUNTING = re.compile(r"__builtin_(?P<name>popcount|parity|clz|ctz|ffs)(?P<size>l{0,2})")
_BY = {"parity": "popcount", "ctz": "ffs"}
_TYPES = {"": Arithmetic("int", unsigned=True), "ll": Arithmetic("long long", unsigned=True)}


def bit_call(function: str, where: Location, arguments: tuple[Expr, ...]) -> Expr | None:
    """What a kernel does for a call that counts bits; None for other calls."""
    found = _COUNTING.fullmatch(function)
    if found is None or len(arguments) != 1:
        return None
    name, size = found["name"], "ll" if found["size"] else ""
    bits = Cast(_TYPES[size], where, arguments[0])
    count = Call(INT, where, f"__builtin_{_BY.get(name, name)}{size}", (bits,))
    one = IntLiteral(INT, where, 1, "1")
    if name == "parity":
        return Binary(INT, where, "&", count, one)
    return Binary(INT, where, "-", count, one) if name == "ctz" else count
