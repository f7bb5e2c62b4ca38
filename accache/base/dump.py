"""Records, tuples and dictionaries as indented text, for ``--dump-after``.

Fields that have their default value are left out. Of a record with a name only that stands where it comes again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct, field

WIDTH = 120
INDENT = "  "


def dumped(value: object, text_of: Callable[[object], str | None] = lambda _: None) -> str:
    """The text of a value: one line if it fits, else a line for each thing in it.

    ``text_of`` gives what stands for a value whose parts nobody wants to read, None for others.

    >>> dumped({"numbers": (1, 2)})
    "{'numbers': (1, 2)}"
    """
    dump = _Dump(text_of)
    dump.add(value, "", "", suffix="")
    return "\n".join(dump.lines)


class _Dump(Struct):
    """The lines so far, and what they hold: the texts of single values, and the records with names, by identity."""

    text_of: Callable[[object], str | None]
    lines: list[str] = field(default_factory=list)
    texts: dict[int, str | None] = field(default_factory=dict)
    named: set[int] = field(default_factory=set)

    def add(self, value: object, prefix: str, margin: str, *, suffix: str) -> None:
        line = self.in_one_line(value, WIDTH - len(margin) - len(prefix))
        if line is not None:
            self.lines.append(f"{margin}{prefix}{line}{suffix}")
            return
        opening, closing = _brackets(value)
        self.lines.append(f"{margin}{prefix}{opening}")
        for name, item in _parts(value):
            self.add(item, name, margin + INDENT, suffix=",")
        self.lines.append(f"{margin}{closing}{suffix}")
        if isinstance(value, Struct) and "name" in value.__struct_fields__:
            self.named.add(id(value))

    def in_one_line(self, value: object, room: int) -> str | None:
        """The text of a value if it has at most so many characters; what has no parts always has its text."""
        if isinstance(value, frozenset):
            return f"frozenset({{{', '.join(sorted(map(repr, value)))}}})"
        if not isinstance(value, (Struct, tuple, list, dict)):
            return repr(value)
        if id(value) in self.named:
            return f"{type(value).__name__}(name={getattr(value, 'name', '')!r}, ...)"
        if id(value) not in self.texts:
            self.texts[id(value)] = self.text_of(value)
        if (own := self.texts[id(value)]) is not None:
            return own
        opening, closing = _brackets(value)
        room -= len(opening) + len(closing)
        texts: list[str] = []
        for name, item in _parts(value):
            text = self.in_one_line(item, room - len(name)) if room >= 0 else None
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
        required = len(value.__struct_fields__) - len(value.__struct_defaults__)
        for position, name in enumerate(value.__struct_fields__):
            item = getattr(value, name)
            if position < required or not _is_usual(item, value.__struct_defaults__[position - required]):
                yield f"{name}=", item
    elif isinstance(value, dict):
        for key, item in value.items():
            yield f"{key!r}: ", item
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield "", item


def _is_usual(value: object, default: object) -> bool:
    """Whether a field has its default; an empty collection is that of the fields that are made anew for each record."""
    if isinstance(value, (list, dict, set)) and not value:
        return True
    return type(value) is type(default) and value == default
