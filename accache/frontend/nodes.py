"""Everything below a value of the tree, types included: analysis, a floor higher, has the walks that know more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import cache
from typing import Any

from accache.text import Location


def nodes_below(root: object) -> Iterator[object]:
    """Every dataclass below ``root`` and itself, in source order, types (with their array lengths) included."""
    kind: Any = type(root)
    if _attributes(kind) is not None:
        yield root
    for item in below(root):
        yield from nodes_below(item)


def below(root: object) -> Sequence[object]:
    """What a dataclass, tuple or list directly holds; nothing of other values, and of places in the source."""
    if isinstance(root, (tuple, list)):
        return root
    kind: Any = type(root)
    return [getattr(root, name) for name in _attributes(kind) or ()]


@cache
def _attributes(kind: Any) -> tuple[str, ...] | None:
    """The attributes of a dataclass; None of other classes, and of places in the source."""
    if not hasattr(kind, "__dataclass_fields__") or issubclass(kind, Location):
        return None
    return tuple(item.name for item in fields(kind))
