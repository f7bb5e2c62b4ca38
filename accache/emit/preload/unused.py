"""Variables that only indices of copied arrays use: their declarations may stay, which compilers shall not warn of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from accache.base.text import Edit, Span
from accache.cuda.statements import Statement, statement
from accache.emit.preload.copies import Copies
from accache.ir.names import user_name
from accache.ir.tree import Declare
from accache.ir.walk import nodes_of

_LABELS = frozenset(("case", "default"))


def unused_variables(copies: Copies, replaced: Sequence[Edit]) -> Iterator[Edit]:
    """``[[maybe_unused]]`` in front of declarations of what nothing names but references that are ``replaced``."""
    tokens, view = copies.cuda.tokens, copies.plan.view
    body = [token for token in tokens[view.item.body : view.item.end] if token.is_name]
    spans = [edit.span for edit in replaced]
    named = Counter(token.text for token in body)
    left = Counter(each.text for each in body if not any(span.start <= each.start < span.end for span in spans))
    declares = [(node, user_name(node.name)) for node in nodes_of(view.body, Declare)]
    declared = Counter(name for _, name in declares)
    unused = [view.where(node.location) for node, name in declares if left[name] == declared[name] < named[name]]
    for stmt in _plain(statement(tokens, view.item.body)):
        first, end = tokens[stmt.first], tokens[stmt.end - 1].end
        if first.text not in _LABELS and any(place is not None and first.start <= place < end for place in unused):
            yield Edit(Span(first.start, first.start), "[[maybe_unused]] ")


def _plain(stmt: Statement) -> Iterator[Statement]:
    """The statements that may declare variables."""
    if stmt.kind == "plain":
        yield stmt
    for part in stmt.parts:
        yield from _plain(part)
