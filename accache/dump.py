"""Records, tuples and dictionaries as indented text, for ``--dump-after``."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

WIDTH = 120
INDENT = "  "


def dumped(value: object, prefix: str = "", margin: str = "") -> str:
    """The text of a value behind a prefix: one line if it fits, else a line for each thing in it."""
    text = repr(value)
    line = f"{margin}{prefix}{text}"
    if len(line) <= WIDTH or not isinstance(value, (Struct, tuple, list, dict)):
        return line
    opening = f"{type(value).__name__}(" if isinstance(value, Struct) else text[0]
    inside = [dumped(item, name, margin + INDENT) + "," for name, item in _parts(value)]
    return "\n".join([f"{margin}{prefix}{opening}", *inside, f"{margin}{text[-1]}"])


def _parts(value: Struct | tuple[object, ...] | list[object] | dict[object, object]) -> Iterator[tuple[str, object]]:
    """What stands before each part of a value, and the part."""
    if isinstance(value, Struct):
        for name in value.__struct_fields__:
            yield f"{name}=", getattr(value, name)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield f"{key!r}: ", item
    else:
        for item in value:
            yield "", item
