"""Loops of a second version in chunks, which all threads of a block reach: what they do stands under conditions."""

from __future__ import annotations

import itertools

from msgspec import Struct

from accache.base.text import Edit, SourceFile, Span, splice
from accache.cpu.tokens import Token, closing
from accache.cuda.statements import Statement, commas, statement
from accache.cuda.text import Cuda
from accache.emit.preload.copies import Copies
from accache.ir.constants import constant
from accache.ir.kernels.simt import CanonicalLoop
from accache.ir.names import user_name
from accache.ir.tree import Cast, Declare
from accache.ir.types import integer_of
from accache.ir.walk import nodes_of, walk
from accache.preload.plan import Tile
from accache.preload.regions import is_wide_unsigned
from accache.preload.uniform import INT_BYTES, is_harmless

_NAMING = frozenset(("typedef", "using", "namespace", "static_assert", "struct", "union", "enum", "class"))
"""What statements begin with that compute nothing, unless they declare a variable."""


def loops_in_chunks(copies: Copies) -> list[Edit]:
    """The edits that cut the loops of tiles into chunks, with a copy before each chunk."""
    targets = frozenset(tile.loop.offset for tile in copies.plan.tiles if tile.loop is not None)
    if not targets:
        return []
    return _Restructure(copies, targets).block(statement(copies.cuda.tokens, copies.plan.view.item.body), "")


class _Restructure(Struct, dict=True):
    """Lets all threads of a block reach the chunks of loops: what the program does stands under conditions."""

    copies: Copies
    targets: frozenset[int]

    def __post_init__(self) -> None:
        self.tokens: tuple[Token, ...] = self.copies.cuda.tokens
        self.declares = list(nodes_of(self.copies.plan.view.body, Declare))
        self.places = [(self.copies.plan.view.where(node.location), node) for node in self.declares]

    def holds(self, stmt: Statement) -> bool:
        """Whether a statement has a loop in it that is cut into chunks."""
        start, end = self.tokens[stmt.first].start, self.tokens[stmt.end - 1].end
        return any(start <= offset < end for offset in self.targets)

    def insert(self, index: int, text: str, behind: bool = False) -> Edit:
        """Text in front of a token, or behind it; in front of the directives before it, such as ``#pragma unroll``."""
        start, end = self.tokens[index].start, self.tokens[index].end
        if behind:
            return Edit(Span(end, end), text)
        before = self.tokens[index - 1].end
        line = next((span.start for span in self.copies.cuda.directives if before <= span.start < start), None)
        if line is None:
            return Edit(Span(start, start), text)
        return Edit(Span(line, line), f"{_indent(self.copies.cuda.source.text, start)}{text.rstrip()}\n")

    def block(self, stmt: Statement, active: str) -> list[Edit]:
        """The edits of a block's statements, which the threads do for which ``active`` holds; '' is all."""
        edits: list[Edit] = []
        for item in stmt.parts:
            made, active = self.item(item, active)
            edits += made
        return edits

    def item(self, stmt: Statement, active: str) -> tuple[list[Edit], str]:
        """The edits of a statement, and what holds for the threads that are active behind it."""
        if self.holds(stmt):
            return self.around(stmt, active), active
        if stmt.kind == "if" and len(stmt.parts) == 1 and _returns(stmt.parts[0]):
            return self.guard(stmt, active)
        declared = self.declared(stmt)
        if declared:
            return self.declaration(stmt, declared, active), active
        is_empty = stmt.kind == "plain" and stmt.end - stmt.first == 1
        if not active or is_empty or self.tokens[stmt.first].text in _NAMING:
            return [], active
        return [self.insert(stmt.first, f"if ({active}) ")], active

    def guard(self, stmt: Statement, active: str) -> tuple[list[Edit], str]:
        """``if (i >= n) return;`` becomes ``const bool active = !(i >= n);``.

        What threads do before they return, ``if (!active)`` keeps for them.
        """
        name = self.copies.names.local("active")
        first, end = stmt.head
        before = f"const bool {name} = {active} && !(" if active else f"const bool {name} = !("
        start, opening, close = self.tokens[stmt.first], self.tokens[first - 1], self.tokens[end]
        head = Edit(Span(start.start, opening.end), before)
        body = stmt.parts[0]
        if len(body.parts) < 2:
            return [head, Edit(Span(close.start, self.tokens[stmt.end - 1].end), ");")], name
        leaving = f"{active} && !{name}" if active else f"!{name}"
        last = body.parts[-1]
        return [
            head,
            Edit(Span(close.start, close.end), f"); if ({leaving})"),
            Edit(Span(self.tokens[last.first].start, self.tokens[last.end - 1].end), ""),
        ], name

    def declared(self, stmt: Statement) -> list[Declare]:
        """What a statement declares itself."""
        if stmt.kind != "plain":
            return []
        start, end = self.tokens[stmt.first].start, self.tokens[stmt.end - 1].end
        return [node for place, node in self.places if place is not None and start <= place < end]

    def declaration(self, stmt: Statement, declared: list[Declare], active: str) -> list[Edit]:
        """A declaration stays for all threads; values that use memory, or may fail, only active threads compute."""
        careful = {user_name(node.name) for node in declared if node.init is not None and not is_harmless(node.init)}
        texts = [token.text for token in self.tokens[stmt.first : stmt.end]]
        edits: list[Edit] = []
        edges = [stmt.first - 1, *commas(self.tokens, stmt.first, stmt.end - 1), stmt.end - 1]
        for before, end in itertools.pairwise(edges if active else ()):
            name = next((k for k in range(before + 1, end) if self.is_declared(k, careful)), None)
            if name is not None:
                edits += self.value(name, end, active, is_auto="auto" in texts[: name - stmt.first])
        return edits

    def is_declared(self, index: int, names: set[str]) -> bool:
        """Whether a token is one of some names with a value behind it."""
        return self.tokens[index].text in names and self.tokens[index + 1].text in ("=", "(", "{")

    def value(self, name: int, end: int, active: str, *, is_auto: bool) -> list[Edit]:
        """A variable's value, behind its name, for active threads alone: ``= x``, ``(x)``, ``{x}`` or ``= {x}``."""
        has_equals = self.tokens[name + 1].text == "="
        first = name + 2 if has_equals else name + 1
        is_enclosed = self.tokens[first].text in ("(", "{") and closing(self.tokens, first) == end - 1
        inside = (first + 1, end - 1) if is_enclosed else (first, end)
        value = self.copies.cuda.spelled(*inside)
        kind = f"accache_value({value})" if is_auto else self.tokens[name].text
        opening = Span(self.tokens[first].start, self.tokens[inside[0]].start)
        close = Span(self.tokens[inside[1] - 1].end, self.tokens[end - 1].end)
        return [
            Edit(opening, f"{'' if has_equals else ' = '}{active} ? ("),
            Edit(close, f") : decltype({kind})()"),
        ]

    def around(self, stmt: Statement, active: str) -> list[Edit]:
        """The edits of a block, condition or loop around a loop in chunks, or of that loop itself."""
        if stmt.kind == "block":
            return self.block(stmt, active)
        if stmt.kind == "if":
            return self.condition(stmt, active)
        if self.tokens[stmt.first].start in self.targets:
            return self.chunks(stmt, active)
        return self.braced(stmt.parts[0], active, "")

    def braced(self, stmt: Statement, active: str, start: str) -> list[Edit]:
        """A statement in braces, with text in front."""
        edits = self.item(stmt, active)[0] if stmt.kind != "block" else self.block(stmt, active)
        if stmt.kind == "block":
            return [self.insert(stmt.first, start), *edits] if start else edits
        return [self.insert(stmt.first, f"{start}{{ "), *edits, self.insert(stmt.end - 1, " }", behind=True)]

    def condition(self, stmt: Statement, active: str) -> list[Edit]:
        """``if (c) A else B`` becomes ``{ const bool inside = c; A under inside; B under !inside }``.

        One that the compiler decides stays.
        """
        inside = self.copies.names.local("active")
        first, end = stmt.head
        if self.tokens[stmt.first + 1].text == "constexpr":
            return [edit for part in stmt.parts for edit in self.braced(part, active, "")]
        start, opening, close = self.tokens[stmt.first], self.tokens[first - 1], self.tokens[end]
        before = f"{{ const bool {inside} = {active} && (" if active else f"{{ const bool {inside} = ("
        edits = [Edit(Span(start.start, opening.end), before), Edit(Span(close.start, close.end), ");")]
        edits += self.braced(stmt.parts[0], inside, " ")
        if len(stmt.parts) > 1:
            other = self.copies.names.local("active")
            word = self.tokens[stmt.parts[0].end]
            holds = f"{active} && !{inside}" if active else f"!{inside}"
            edits.append(Edit(Span(word.start, word.end), f"const bool {other} = {holds};"))
            edits += self.braced(stmt.parts[1], other, " ")
        return [*edits, self.insert(stmt.end - 1, " }", behind=True)]

    def chunks(self, stmt: Statement, active: str) -> list[Edit]:
        """A loop in chunks: copy, wait, iterate, wait."""
        copies, start = self.copies, self.tokens[stmt.first].start
        tiles = [tile for tile in copies.names.tiles if tile.tile.loop is not None and tile.tile.loop.offset == start]
        first, end = stmt.head
        semicolons = [k for k in range(first, end) if self.tokens[k].text == ";"]
        indent = _indent(copies.cuda.source.text, start)
        begin, loop = self.heads(tiles[0].tile, first, semicolons[0], semicolons[1], active=active)
        inner = [*copies.declared(tiles), *copies.fetched(tiles), copies.barrier(), loop]
        before = f"\n{indent}    ".join([begin, *inner])
        step = self.tokens[semicolons[1] + 1].start
        return [
            Edit(Span(start, step), before),
            self.insert(stmt.end - 1, f"\n{indent}    {copies.barrier()}\n{indent}}}", behind=True),
        ]

    def heads(self, tile: Tile, first: int, middle: int, end: int, *, active: str) -> tuple[str, str]:
        """The head of the loop over chunks, and that of the loop over one chunk's iterations but for its step.

        The head of the loop begins at token ``first``; its semicolons are ``middle`` and ``end``.
        """
        assert tile.loop is not None
        cuda, counted, name = self.copies.cuda, tile.loop.counted, self.copies.names.chunk(tile)
        variable, chunk, start = user_name(counted.variable), tile.chunk * counted.step, tile.loop.loop.init[0]
        place = next(k for k in range(first, middle) if self.tokens[k].text == variable)
        left, value = self.beginning(first, place, middle, is_declared=isinstance(start, Declare))
        is_kept = any(node is counted.first for node in walk(start))
        bound = _with_name(cuda, middle + 1, end, variable, other=f"(unsigned){name}" if is_mixed(counted) else name)
        within = f"{name} <= 0xffffffff && " if is_mixed(counted) else ""
        guard, kind = f"if ({active}) " if active else "", counter_type(counted)
        return (
            f"for ({kind} {name} = {value[0] if is_kept else value[1]}; {within}{bound}; {name} += {chunk}) {{",
            f"{guard}for ({left} = {name}; {variable} < {name} + {chunk} && {cuda.spelled(middle + 1, end)}; ",
        )

    def beginning(self, first: int, name: int, end: int, *, is_declared: bool) -> tuple[str, tuple[str, str]]:
        """What stands left of a loop's first value, and that value, as it is and as its variable has it.

        The head begins at a token, and its variable stands at ``name``.
        """
        cuda = self.copies.cuda
        mark = next(k for k in range(name + 1, end) if self.tokens[k].text in ("=", "(", "{"))
        opening = mark + 1 if self.tokens[mark].text == "=" else mark
        is_enclosed = self.tokens[opening].text in ("(", "{") and closing(self.tokens, opening) == end - 1
        value = cuda.spelled(opening + 1, end - 1) if is_enclosed else cuda.spelled(opening, end)
        left = cuda.spelled(first, mark)
        kind = cuda.spelled(first, name) if is_declared else f"decltype({left})"
        if "auto" in kind.split():
            kind = f"decltype(accache_value({value}))"
            left = f"{kind} {self.tokens[name].text}"
        return left, (value, f"({kind})({value})")


def counter_type(counted: CanonicalLoop) -> str:
    """The type that counts a loop's chunks: 64 bits, with a sign unless the loop's variable has as many and none."""
    return "unsigned long long" if is_wide_unsigned(counted) else "long long"


def is_mixed(counted: CanonicalLoop) -> bool:
    """Whether C compares an unsigned variable with a limit that may be below zero, which is a large number then."""
    kind, limit = integer_of(counted.type), integer_of(counted.limit.type)
    is_signed = not limit.unsigned and limit.size <= INT_BYTES and constant(counted.limit) is None
    return kind.unsigned and kind.size == INT_BYTES and (is_signed or isinstance(counted.limit, Cast))


def _with_name(cuda: Cuda, first: int, end: int, name: str, *, other: str) -> str:
    """The text of tokens with one name replaced, unless it is that of a member."""
    start = cuda.tokens[first].start
    edits = tuple(
        Edit(Span(token.start - start, token.end - start), other)
        for before, token in itertools.pairwise(cuda.tokens[first - 1 : end])
        if token.text == name and before.text != "."
    )
    return splice(SourceFile("", cuda.spelled(first, end)), edits)


def _returns(stmt: Statement) -> bool:
    inner = stmt.parts[-1] if stmt.kind == "block" and stmt.parts else stmt
    return inner.kind == "return" and inner.end - inner.first == 2


def _indent(text: str, offset: int) -> str:
    """The blanks at the start of the line of a place."""
    start = text.rfind("\n", 0, offset) + 1
    line = text[start:offset]
    return line[: len(line) - len(line.lstrip())]
