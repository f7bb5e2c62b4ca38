"""Everything below a value of the tree, types included: analysis, a floor higher, has the walks that know more."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from msgspec import Struct

from accache.base.text import Location
from accache.ir.types import CType

_PLAIN = frozenset({str, int, bool, float, type(None), Location})
"""Of these there are most, and nothing is below them."""


def nodes_below(root: object) -> list[object]:
    """Every record below ``root`` and itself, in source order, types (with their array lengths) included.

    A type that several expressions have is entered once: structures would be most of what there is.
    """
    found: list[object] = []
    pending = [root]
    types: set[int] = set()
    while pending:
        item = pending.pop()
        kind: Any = type(item)
        if kind in _PLAIN or id(item) in types:
            continue
        if issubclass(kind, CType):
            types.add(id(item))
        if kind is not tuple and kind is not list and _attributes(kind) is not None:
            found.append(item)
        pending += below(item)[::-1]
    return found


def below(root: object) -> Sequence[object]:
    """What a record, tuple or list directly holds; nothing of other values, and of places in the source."""
    if isinstance(root, (tuple, list)):
        return root
    kind: Any = type(root)
    return [getattr(root, name) for name in _attributes(kind) or ()]


@cache
def _attributes(kind: Any) -> tuple[str, ...] | None:
    """The attributes of a record; None of other classes, and of places in the source."""
    if not issubclass(kind, Struct) or issubclass(kind, Location):
        return None
    found: tuple[str, ...] = kind.__struct_fields__
    return found
