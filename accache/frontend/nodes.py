"""Everything below a value of the tree, types included: analysis, a floor higher, has the walks that know more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from accache.text import Location


def nodes_below(root: object) -> Iterator[object]:
    """Every dataclass below ``root`` and itself, in source order, types (with their array lengths) included."""
    if isinstance(root, (tuple, list)):
        for item in root:
            yield from nodes_below(item)
    elif is_dataclass(root) and not isinstance(root, Location):
        yield root
        for attribute in fields(root):
            yield from nodes_below(getattr(root, attribute.name))
