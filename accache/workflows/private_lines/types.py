"""The types whose values lines can hold, and those around them: numbers, plain structures, pointers, arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from accache.cpu.tokens import Token
from accache.workflows.private_lines.names import GROUP_TYPES, RESTRICT

TypeKind: TypeAlias = Literal["number", "record", "pointer", "array", "group", "text", "void"]


class Type(Struct, frozen=True):
    """A type. ``kind`` is number, record, pointer, array, group (of threads), text or void.

    A record is a structure that copies as bytes and has nothing but its ``members``, with their types; ``target`` is
    what a pointer leads to or an array has, None if that is no such type. Of an array's elements it is known how the
    program has ``spelled`` the type.
    """

    kind: TypeKind
    name: str = ""
    size: int = 0
    align: int = 1
    members: tuple[tuple[str, Type], ...] = ()
    target: Type | None = None
    is_const: bool = False
    is_volatile: bool = False
    spelled: str = ""

    def same(self, other: Type) -> bool:
        """Whether both are one record, or both are numbers."""
        return self.kind == other.kind and self.name == other.name


VOID, TEXT, GROUP = Type("void"), Type("text"), Type("group")


def number(size: int = 4) -> Type:
    """A number of so many bytes."""
    return Type("number", size=size, align=size)


def pointer(target: Type | None) -> Type:
    """A pointer to a type."""
    return Type("pointer", size=8, align=8, target=target)


def array(target: Type | None, count: int = 0) -> Type:
    """An array of so many elements; 0 if nobody needs to know."""
    return Type(
        "array", size=count * (target.size if target else 0), align=target.align if target else 1, target=target
    )


def record(name: str, members: Sequence[tuple[str, Type]], align: int = 1) -> Type:
    """A structure with members, as it lies in memory."""
    size = 0
    for _, member in members:
        align = max(align, member.align)
        size = -(-size // member.align) * member.align + member.size
    return Type("record", name, max(1, -(-size // align)) * align, align, tuple(members))


_WORDS = frozenset(("bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "void"))
_QUALIFIERS = frozenset(("const", "volatile", "constexpr", "register", "struct", "enum", *RESTRICT))
_SCALARS = {"char": 1, "short": 2, "int": 4, "long": 8, "longlong": 8, "float": 4, "double": 8}
_UNSIGNED = {f"u{name}": size for name, size in _SCALARS.items() if name not in ("float", "double")}
_ALIGNED = {("char", 2): 2, ("char", 4): 4, ("short", 2): 4, ("short", 4): 8, ("int", 2): 8, ("int", 4): 16,
            ("long", 2): 16, ("long", 4): 16, ("longlong", 2): 16, ("longlong", 4): 16, ("float", 2): 8,
            ("float", 4): 16, ("double", 2): 16, ("double", 4): 16}  # fmt: skip


def _builtin() -> dict[str, Type]:
    found: dict[str, Type] = {}
    for name, size in {**_SCALARS, **_UNSIGNED}.items():
        for count in (1, 2, 3, 4):
            members = [(member, number(size)) for member in "xyzw"[:count]]
            found[f"{name}{count}"] = record(
                f"{name}{count}", members, _ALIGNED.get((name.removeprefix("u"), count), size)
            )
    for bits in (8, 16, 32, 64):
        for prefix in ("int", "uint", "int_fast", "uint_fast", "int_least", "uint_least"):
            found[f"{prefix}{bits}_t"] = number(8 if "fast" in prefix and bits > 8 else bits // 8)
    for name in (
        "size_t",
        "ptrdiff_t",
        "intptr_t",
        "uintptr_t",
        "ssize_t",
        "ulong",
        "intmax_t",
        "uintmax_t",
        "clock_t",
    ):
        found[name] = number(8)
    return {**found, "uint": number(4), "ushort": number(2), "dim3": record("dim3", found["uint3"].members)}


BUILTIN: Mapping[str, Type] = _builtin()


def base_at(words: Sequence[Token], index: int, types: Mapping[str, Type | None]) -> tuple[Type | None, int]:
    """The type whose specifiers begin at a word, and the word behind them; None, and the same word, if none begins.

    ``types`` are those of the program. None, and a later word, where a type is not recognised.
    """
    first, seen, found, qualifiers, is_known = index, list[str](), None, set[str](), True
    while index < len(words):
        word = words[index].text
        if word in _QUALIFIERS:
            qualifiers.add(word)
        elif word in _WORDS:
            seen.append(word)
        elif not seen and found is None and is_known and words[index].is_name:
            last = _qualified(words, index)
            name = words[last].text
            if name not in types and name not in BUILTIN and not (name in GROUP_TYPES and last > index):
                break
            found = types[name] if name in types else BUILTIN.get(name, GROUP)
            is_known, index = found is not None, last
        else:
            break
        index += 1
    if seen:
        found = _fundamental(seen)
    if found is None:
        return None, index if not is_known else first
    if qualifiers & {"const", "volatile", "constexpr"}:
        is_const = found.is_const or not qualifiers.isdisjoint(("const", "constexpr"))
        found = replace(found, is_const=is_const, is_volatile=found.is_volatile or "volatile" in qualifiers)
    return found, index


def _qualified(words: Sequence[Token], index: int) -> int:
    """The last name of ``a::b::c``."""
    while index + 2 < len(words) and words[index + 1].text == "::" and words[index + 2].is_name:
        index += 2
    return index


def _fundamental(words: Sequence[str]) -> Type:
    if "void" in words:
        return VOID
    names = ("bool", "char", "short", "float")
    sizes = {"bool": 1, "char": 1, "short": 2, "float": 4}
    known = next((sizes[name] for name in names if name in words), 0)
    if known:
        return number(known)
    if "double" in words:
        return number(16 if "long" in words else 8)
    return number(8 if "long" in words else 4)


def declared_at(words: Sequence[Token], index: int, base: Type | None) -> tuple[Type | None, str, int]:
    """What a declarator ``*__restrict__ name[4]`` makes of a type; its name, '' if none, and the word behind it."""
    found = base
    while words[index].text == "*" or words[index].text in _QUALIFIERS:
        word = words[index].text
        if word == "*":
            found = pointer(found)
        elif word in ("const", "volatile") and found is not None:
            found = replace(found, is_const=found.is_const or word == "const",
                            is_volatile=found.is_volatile or word == "volatile")  # fmt: skip
        index += 1
    name = ""
    if words[index].is_name:
        name, index = words[index].text, index + 1
    counts: list[int] = []
    while words[index].text == "[":
        close = next(place for place in range(index, len(words)) if words[place].text == "]" or place == len(words) - 1)
        inside = words[index + 1 : close]
        counts.append(int(inside[0].text) if len(inside) == 1 and inside[0].text.isdecimal() else 0)
        index = close + 1
    for count in reversed(counts):
        found = array(found, count)
    return found, name, index
