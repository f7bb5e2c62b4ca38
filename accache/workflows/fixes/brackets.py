"""The fix-it for a subarray in Fortran's parentheses: C's brackets, with a length in the place of an end."""

from __future__ import annotations

import re
from collections.abc import Sequence

from accache.base.diagnostics import FixIt
from accache.base.text import Edit, SourceFile, Span
from accache.frontend.source.tokens import IDENTIFIER, Token, matching
from accache.workflows.fixes.places import Pragma, fix_of, spelled

_NUMBER = re.compile(r"0|[1-9][0-9]*")
_LINEAR = frozenset(("+", "-", "*"))
"""The operators of bounds: a number that is added to them, or taken off, is theirs alone."""


def bracketed(source: SourceFile, pragma: Pragma, offset: int) -> FixIt | None:
    """The item of a cache directive that stands at an offset with brackets; None where its length is no number.

    Before: ``a(i-1:i+1)``, as Fortran has it. After: ``a[i-1:3]``.
    """
    item = next((item for item in pragma.items if item and item[0].span.start == offset), ())
    if not pragma.is_cache or len(item) < 4 or item[1].text != "(" or matching(item, 1) != len(item) - 1:
        return None
    section = _section(item[2:-1])
    if not section:
        return None
    text = f"{item[0].text}[{section}]"
    return fix_of(source, f"write {text}", (Edit(Span(offset, item[-1].span.end), text),))


def _section(inside: Sequence[Token]) -> str:
    """What stands in the brackets; '' where that is not known."""
    texts = [token.text for token in inside]
    if texts.count(":") != 1:
        return spelled(inside) if _offset(inside) is not None else ""
    first, last = inside[: texts.index(":")], inside[texts.index(":") + 1 :]
    start, end = _offset(first), _offset(last)
    if start is None or end is None:
        return ""
    if start[0] == end[0] and end[1] >= start[1]:
        return f"{spelled(first)}:{end[1] - start[1] + 1}"
    return f"{spelled(first)}:{end[1]}" if not end[0] and end[1] > 0 else ""  # no end: a length in parentheses


def _offset(bound: Sequence[Token]) -> tuple[str, int] | None:
    """A bound as a text and the number added to it; None if it is another expression than a sum of products."""
    if not bound or not all(_is_plain(token) for token in bound):
        return None
    texts = [token.text for token in bound]
    if _NUMBER.fullmatch(texts[-1]) and (len(texts) == 1 or texts[-2] in ("+", "-")):
        base = texts[:-2]
        return ("".join(base), int("".join(texts[-2:]))) if not base or base[-1] not in _LINEAR else None
    return "".join(texts), 0


def _is_plain(token: Token) -> bool:
    return token.kind == IDENTIFIER or token.text in _LINEAR or bool(_NUMBER.fullmatch(token.text))
