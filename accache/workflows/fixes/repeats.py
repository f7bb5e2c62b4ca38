"""Fix-its that take a cached subarray out of a list: another directive at the same place has it already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from accache.base.diagnostics import FixIt
from accache.base.text import Edit, SourceFile, Span
from accache.frontend.source.definitions import active_tokens
from accache.frontend.source.tokens import DIRECTIVE, Token
from accache.workflows.fixes.places import Pragma, fix_of, pragma_of, spelled, whole_lines

Subarray = tuple[str, str]
"""A subarray without blanks, and the modifier of its directive."""


def repeated(source: SourceFile, pragma: Pragma, offset: int) -> FixIt | None:
    """The list without the item at an offset, if that stands in it before, or in a directive right above.

    A directive of this item alone goes with it.
    """
    number = next((n for n, item in enumerate(pragma.items) if item and item[0].span.start == offset), None)
    if not pragma.is_cache or number is None:
        return None
    own = subarrays(pragma)
    if own[number] not in (*own[:number], *_above(source, pragma)):
        return None
    title = f"take {spelled(pragma.items[number])} out, which stands here twice"
    if len(pragma.items) == 1:
        lines = whole_lines(source, pragma)
        return fix_of(source, title, (Edit(lines, ""),)) if lines is not None else None
    item, before = pragma.items[number], pragma.items[number - 1]
    if number:
        return fix_of(source, title, (Edit(Span(before[-1].span.end, item[-1].span.end), ""),))
    return fix_of(source, title, (Edit(Span(item[0].span.start, pragma.items[1][0].span.start), ""),))


def subarrays(pragma: Pragma) -> tuple[Subarray, ...]:
    """The subarrays of a cache directive, as they are compared."""
    return tuple(("".join(token.text for token in item), pragma.modifier) for item in pragma.items)


def cached_from(source: SourceFile, offset: int) -> Iterator[Subarray]:
    """What the cache directives name that stand one behind the other from an offset on."""
    return _of_run(source, (token for token in active_tokens(source) if token.span.start >= offset))


def _above(source: SourceFile, pragma: Pragma) -> Iterator[Subarray]:
    """What the cache directives name that stand right above one."""
    before = [token for token in active_tokens(source) if token.span.end <= pragma.span.start]
    return _of_run(source, reversed(before))


def _of_run(source: SourceFile, tokens: Iterator[Token] | Sequence[Token]) -> Iterator[Subarray]:
    """What is named up to the first token that is no cache directive."""
    for token in tokens:
        found = pragma_of(source, token) if token.kind == DIRECTIVE else None
        if found is None or not found.is_cache:
            return
        yield from subarrays(found)
