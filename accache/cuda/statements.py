"""The statements of a kernel as they stand in its text: blocks, conditions, loops, and all others, by their tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from accache.cpu.tokens import Token, closing

StatementKind: TypeAlias = Literal["block", "if", "for", "loop", "return", "plain"]


class Statement(Struct, frozen=True):
    """Tokens ``first`` up to ``end``.

    ``kind`` is block, if, for, loop (of another kind), return or plain. ``parts`` are the statements inside: those of a
    block, the branches of a condition, the body of a loop. ``head`` are the tokens in the parentheses.
    """

    kind: StatementKind
    first: int
    end: int
    parts: tuple[Statement, ...] = ()
    head: tuple[int, int] = (0, 0)


def statement(tokens: tuple[Token, ...], index: int) -> Statement:
    """The statement that begins at a token."""
    text = tokens[index].text
    if text == "{":
        close = closing(tokens, index)
        return Statement("block", index, close + 1, tuple(_items(tokens, index + 1, close)))
    opening = index + 2 if text == "if" and tokens[index + 1].text == "constexpr" else index + 1
    if text in ("if", "for", "while", "switch") and tokens[opening].text == "(":
        close = closing(tokens, opening)
        body = statement(tokens, close + 1)
        parts = [body]
        if text == "if" and body.end < len(tokens) and tokens[body.end].text == "else":
            parts.append(statement(tokens, body.end + 1))
        kind: StatementKind = "if" if text == "if" else "for" if text == "for" else "loop"
        return Statement(kind, index, parts[-1].end, tuple(parts), (opening + 1, close))
    if text == "do":
        body = statement(tokens, index + 1)
        return Statement("loop", index, _semicolon(tokens, body.end), (body,))
    return Statement("return" if text == "return" else "plain", index, _semicolon(tokens, index))


def _items(tokens: tuple[Token, ...], index: int, end: int) -> Iterator[Statement]:
    while index < end:
        found = statement(tokens, index)
        yield found
        index = found.end


def _semicolon(tokens: tuple[Token, ...], index: int) -> int:
    """Behind the semicolon that ends the statement around a token."""
    while index < len(tokens) and tokens[index].text != ";":
        index = closing(tokens, index) + 1 if tokens[index].text in "([{" else index + 1
    return index + 1


def commas(tokens: tuple[Token, ...], first: int, end: int) -> Iterator[int]:
    """The commas outside of brackets in a half-open range of tokens; ``<`` is no bracket."""
    index = first
    while index < end:
        if tokens[index].text in ("(", "[", "{"):
            index = closing(tokens, index)
        elif tokens[index].text == ",":
            yield index
        index += 1
