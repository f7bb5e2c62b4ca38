"""Records, tuples and dictionaries as indented text, for ``--dump-after``."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

WIDTH = 120
INDENT = "  "


def dumped(value: object) -> str:
    """The text of a value: one line if it fits, else a line for each thing in it.

    >>> dumped({"numbers": (1, 2)})
    "{'numbers': (1, 2)}"
    """
    lines: list[str] = []
    _add_lines(lines, value, "", "", suffix="")
    return "\n".join(lines)


def _add_lines(lines: list[str], value: object, prefix: str, margin: str, *, suffix: str) -> None:
    line = _in_one_line(value, WIDTH - len(margin) - len(prefix))
    if line is not None:
        lines.append(f"{margin}{prefix}{line}{suffix}")
        return
    opening, closing = _brackets(value)
    lines.append(f"{margin}{prefix}{opening}")
    for name, item in _parts(value):
        _add_lines(lines, item, name, margin + INDENT, suffix=",")
    lines.append(f"{margin}{closing}{suffix}")


def _in_one_line(value: object, room: int) -> str | None:
    """The text of a value if it has at most so many characters; what has no parts always has its text."""
    if not isinstance(value, (Struct, tuple, list, dict)):
        return repr(value)
    opening, closing = _brackets(value)
    room -= len(opening) + len(closing)
    texts: list[str] = []
    for name, item in _parts(value):
        text = _in_one_line(item, room - len(name)) if room >= 0 else None
        if text is None:
            return None
        texts.append(name + text)
        room -= len(name) + len(text) + len(", ")
    comma = "," if isinstance(value, tuple) and len(value) == 1 else ""
    return f"{opening}{', '.join(texts)}{comma}{closing}" if room >= -len(", ") else None


def _brackets(value: object) -> tuple[str, str]:
    """What stands before and behind the parts of a value."""
    kinds: dict[type, tuple[str, str]] = {tuple: ("(", ")"), list: ("[", "]"), dict: ("{", "}")}
    return next((found for kind, found in kinds.items() if isinstance(value, kind)), (f"{type(value).__name__}(", ")"))


def _parts(value: object) -> Iterator[tuple[str, object]]:
    """What stands before each part of a value, and the part."""
    if isinstance(value, Struct):
        for name in value.__struct_fields__:
            yield f"{name}=", getattr(value, name)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield f"{key!r}: ", item
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield "", item
