"""Fix-its that move a cache directive into its loop, or cut the loop into chunks that fit in shared memory."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from msgspec import Struct

from accache.base.diagnostics import CompileError, FixIt
from accache.base.text import Edit, SourceFile, Span
from accache.caching.auto.proposals import Anchor
from accache.frontend.source.constructs import statement_after
from accache.frontend.source.definitions import active_tokens, code_tokens
from accache.frontend.source.tokens import DIRECTIVE, IDENTIFIER, Token, matching
from accache.ir.names import free_name
from accache.workflows.fixes.places import Pragma, fix_of, is_assigned, sections_of, spelled, whole_lines
from accache.workflows.fixes.repeats import cached_from, subarrays
from accache.workflows.suggest.insertions import edits_for, indentation_at

CHUNK = 256
"""Iterations of a chunk: what the block fetches at a time, a few kilobytes of each array."""
_MOST = (1 << 31) - 1 - CHUNK
_LEAVING = frozenset(("break", "goto", "return", "continue"))


class Head(Struct, frozen=True):
    """A loop in a text: the place of ``for``, the words in its head, its variable and the rest of its tokens."""

    start: int
    init: tuple[Token, ...]
    condition: tuple[Token, ...]
    step: tuple[Token, ...]
    body: tuple[Token, ...]
    end: int

    @property
    def variable(self) -> str:
        """The variable that the head assigns first; '' if it assigns none."""
        texts = [token.text for token in self.init]
        return texts[texts.index("=") - 1] if texts[1:].count("=") == 1 else ""


def moved(source: SourceFile, pragma: Pragma) -> FixIt | None:
    """The directive inside of the loop behind it whose variable it names; None if there is no such loop.

    Before: the directive in front of ``for (int i ...) {``. After: behind the brace, less what is cached there already.
    """
    loops = list(_nest(source, pragma.span.end)) if pragma.is_cache else []
    named = {word.text for item in pragma.items for word in item if word.kind == IDENTIFIER}
    found = [loop for loop in loops if loop.variable in named]
    if not found:
        return None
    loop = found[-1]
    where = source.location(loop.start)
    lines = whole_lines(source, pragma)
    if lines is None:
        return None
    there = set(cached_from(source, loop.body[0].span.end if loop.body[0].text == "{" else loop.body[0].span.start))
    items = zip(pragma.items, subarrays(pragma), strict=True)
    texts = [spelled(item) for item, subarray in items if subarray not in there]
    if not texts:
        title = f"take it out: the loop over {loop.variable}, line {where.line}, has it already"
        return fix_of(source, title, (Edit(lines, ""),))
    if pragma.modifier:
        texts[0] = f"{pragma.modifier}: {texts[0]}"
    try:
        edits = edits_for(source, Anchor(where, True), texts)
    except CompileError:
        return None
    return fix_of(source, f"move it into the loop over {loop.variable}, line {where.line}", (Edit(lines, ""), *edits))


def _nest(source: SourceFile, offset: int) -> Iterator[Head]:
    """The loop behind an offset, and the loops of which bodies consist or that begin them."""
    while True:
        tokens = code_tokens(source)
        number = bisect_left(tokens, offset, key=lambda token: token.span.start)
        while number < len(tokens) and tokens[number].text == "{":
            number += 1
        head = _head(source, tokens, number)
        if head is None:
            return
        yield head
        offset = head.body[0].span.start


def _head(source: SourceFile, tokens: Sequence[Token], number: int) -> Head | None:
    """The loop that begins with a token; None if none does."""
    if number + 1 >= len(tokens) or tokens[number].text != "for":
        return None
    close = matching(tokens, number + 1)
    if close is None or close + 1 >= len(tokens):
        return None
    parts: list[list[Token]] = [[]]
    for token in tokens[number + 2 : close]:
        if token.text == ";":
            parts.append([])
        else:
            parts[-1].append(token)
    try:
        end = statement_after(source, tokens[number].span.start).end
    except CompileError:
        return None
    if len(parts) != 3:
        return None
    last = bisect_left(tokens, end, key=lambda token: token.span.start)
    init, condition, step = map(tuple, parts)
    return Head(tokens[number].span.start, init, condition, step, tuple(tokens[close + 1 : last]), end)


def chunked(source: SourceFile, pragma: Pragma) -> FixIt | None:
    """The loop behind a directive in chunks, and the directive about one; None where that would not be the same.

    Before: ``cache(a[0:N])`` in front of ``for (int k = 0; k < N; k++)``. After: a loop over ``k0`` around both, in
    steps, ``cache(a[k0:256])``, and ``for (int k = k0; k < k0 + 256 && k < N; k++)``.
    """
    tokens = active_tokens(source)
    number = bisect_left(tokens, pragma.span.end, key=lambda token: token.span.start)
    if not pragma.is_cache or number >= len(tokens) or tokens[number].kind == DIRECTIVE:
        return None
    code = code_tokens(source)
    head = _head(source, code, bisect_left(code, tokens[number].span.start, key=lambda token: token.span.start))
    if head is None or not _is_plain(source, head):
        return None
    variable = head.variable
    first, last = head.init[3:], head.condition[2:]
    outer = free_name(f"{variable}0", {token.text for token in code}.__contains__)
    wanted = [f"[0:{_text(last)}]"]
    items = [item for item in pragma.items if list(map(_text, sections_of(item))) == wanted]
    if not items or _text(first) != "0":
        return None
    begin = source.text.rfind("\n", 0, pragma.span.start) + 1
    blank, newline = indentation_at(source, head.start)
    around = f"{blank}for (int {outer} = 0; {outer} < {spelled(last)}; {outer} += {CHUNK}) {{{newline}"
    edits = [Edit(Span(begin, begin), around)]
    edits += [Edit(Span(item[1].span.start, item[-1].span.end), f"[{outer}:{CHUNK}]") for item in items]
    edits.append(Edit(Span(first[0].span.start, first[-1].span.end), outer))
    where = head.condition[0].span.start
    edits += [Edit(Span(where, where), f"{variable} < {outer} + {CHUNK} && ")]
    edits.append(Edit(Span(head.end, head.end), f"{newline}{blank}}}"))
    return fix_of(source, f"cut the loop over {variable} into chunks of {CHUNK}", edits)


def _is_plain(source: SourceFile, head: Head) -> bool:
    """Whether a loop is ``for (int k = 0; k < N; k++)`` for a number or its macro, and runs to its end unchanged."""
    variable = head.variable
    texts = [token.text for token in head.init]
    is_counted = texts[:3] == ["int", variable, "="] and _text(head.condition[:2]) == f"{variable}<"
    is_short = len(head.condition) == 3 and 0 < _value(source, head.condition[2]) <= _MOST
    steps = (f"{variable}++", f"++{variable}", f"{variable}+=1")
    if not variable or not is_counted or not is_short or _text(head.step) not in steps:
        return False
    leaves = any(token.text in _LEAVING for token in head.body)
    return not leaves and not any(is_assigned(name, head.body) for name in (variable, head.condition[2].text))


def _value(source: SourceFile, token: Token) -> int:
    """The number that a token is, or that a macro of the file stands for; 0 for all others."""
    text = token.text
    if token.kind == IDENTIFIER:
        found = re.findall(rf"^[ \t]*#[ \t]*define[ \t]+{re.escape(text)}[ \t]+(\w+)[ \t]*$", source.text, re.M)
        text = found[0] if len(found) == 1 else ""
    return int(text) if re.fullmatch(r"[1-9]\d*", text) else 0


def _text(tokens: Sequence[Token]) -> str:
    return "".join(token.text for token in tokens)
