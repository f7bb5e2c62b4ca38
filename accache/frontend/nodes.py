"""Everything below a value of the tree, types included: analysis, a floor higher, has the walks that know more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from msgspec import Struct

from accache.text import Location


def nodes_below(root: object) -> Iterator[object]:
    """Every record below ``root`` and itself, in source order, types (with their array lengths) included."""
    kind: Any = type(root)
    if _attributes(kind) is not None:
        yield root
    for item in below(root):
        yield from nodes_below(item)


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
