"""Everything below a value of the tree, types included: analysis, a floor higher, has the walks that know more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from typing import Any

from accache.text import Location


def nodes_below(root: object) -> Iterator[object]:
    """Every dataclass below ``root`` and itself, in source order, types (with their array lengths) included."""
    if isinstance(root, (tuple, list)):
        for item in root:
            yield from nodes_below(item)
        return
    kind: Any = type(root)
    names = _attributes(kind)
    if names is not None:
        yield root
        for name in names:
            yield from nodes_below(getattr(root, name))


@cache
def _attributes(kind: Any) -> tuple[str, ...] | None:
    """The attributes of a dataclass; None of other classes, and of places in the source."""
    if not hasattr(kind, "__dataclass_fields__") or issubclass(kind, Location):
        return None
    return tuple(item.name for item in fields(kind))
