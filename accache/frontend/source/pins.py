"""Macros from outside that a translation depends on: kernels hold their expansions, and host text their names.

Whoever compiles the emitted program may give a compiler other macros than accache was given. ``pins`` tells what must
stand above the program, so that it means what the kernels mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from accache.base.text import SourceFile, read_source_file
from accache.frontend.source.definitions import active_tokens
from accache.frontend.source.preprocess import Preprocessed
from accache.frontend.source.tokens import COMMENT, DIRECTIVE
from accache.ir.pins import Pin

_LINE = re.compile(r"#\s*(if|ifdef|ifndef|elif|elifdef|elifndef|endif|define)\b(.*)", re.S)
_NAME = re.compile(r"\b[A-Za-z_]\w*")
_RESERVED = re.compile(r"_[A-Z_]")
_INTEGER = re.compile(r"\(?-?(?:0[xX][0-9a-fA-F]+|[0-9]+)[uUlL]*\)?")
_MATHEMATICAL = re.compile(r"M_[A-Z0-9_]+")  # of <math.h>, which C++ always has
_WORDS = frozenset({"defined", "true", "false"})


def pins(source: SourceFile, preprocessed: Preprocessed) -> tuple[Pin, ...]:
    """The macros of the command line, and those that conditions ask for and nobody gave."""
    given = dict(preprocessed.given)
    values = dict(preprocessed.values)
    found = [_given(name, definition, name in preprocessed.ambient) for name, definition in given.items()]
    for name in sorted(_asked(source, preprocessed) - given.keys() - preprocessed.ambient):
        if not _RESERVED.match(name):
            found.append(_not_given(name, values.get(name), name in preprocessed.own_macros))
    return tuple(found)


def _given(name: str, definition: str | None, is_ambient: bool) -> Pin:
    if definition is None:
        return Pin(name, "removed" if is_ambient else "absent")
    if _RESERVED.match(name):
        return Pin(name, "kept", definition)
    return Pin(name, "value" if _INTEGER.fullmatch(definition.strip()) else "text", definition)


def _not_given(name: str, value: str | None, is_own: bool) -> Pin:
    if _MATHEMATICAL.fullmatch(name):
        return Pin(name, "removed")
    if value is not None and _INTEGER.fullmatch(value):
        return Pin(name, "default", f" {value}")
    return Pin(name, "own" if is_own or value is not None else "absent")


def _asked(source: SourceFile, preprocessed: Preprocessed) -> frozenset[str]:
    """The names in the conditions of the user's files that no line above defines in any case."""
    asked: set[str] = set()
    defined: set[str] = set()
    for name in preprocessed.headers:
        try:
            header = read_source_file(name)
        except OSError:
            continue
        _read(header, asked, defined)
    _read(source, asked, defined)
    return frozenset(asked - _WORDS)


def _read(source: SourceFile, asked: set[str], defined: set[str]) -> None:
    """Add what the conditions of a file ask for, and what it defines outside of all conditions."""
    lines = list(_lines(source))
    guard = _guard(lines)
    depth = -int(guard is not None)
    for word, rest in lines:
        names = set(_NAME.findall(rest)) - {guard}
        if word == "define":
            defined |= set(_NAME.findall(rest)[:1]) if depth == 0 else set()
        elif word == "endif":
            depth -= 1
        else:
            asked |= names - defined
            depth += word.startswith("if")


def _lines(source: SourceFile) -> Iterator[tuple[str, str]]:
    for token in active_tokens(source):
        found = _LINE.match(token.text) if token.kind == DIRECTIVE else None
        if found is not None:
            yield found[1], COMMENT.sub(" ", found[2]).replace("\\\n", " ")


def _guard(lines: list[tuple[str, str]]) -> str | None:
    """The name of a header's include guard, if these are the lines of such a header."""
    if len(lines) < 2 or lines[0][0] != "ifndef" or lines[1][0] != "define" or lines[-1][0] != "endif":
        return None
    name = lines[0][1].strip()
    return name if lines[1][1].strip() == name else None
