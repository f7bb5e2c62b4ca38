"""The statements of a kernel's text, as far as cutting it at its barriers needs them."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from msgspec import Struct

from accache.cpu.definitions import TYPES
from accache.cpu.tokens import OPENING, Token, closing, tokenise

BARRIER = "__syncthreads"
REDUCTION = re.compile(r"accache_reduce(_[xyz])?(_each)?")  # what the library combines over a block's threads
EXCHANGE = re.compile(r"accache_cpu_reduce(_[xyz])?")  # its call as a statement of its own
_QUALIFIERS = frozenset(("const", "volatile", "__restrict__", "__restrict", "restrict"))
_KEYWORDS = frozenset(
    ("return", "goto", "else", "delete", "throw", "case", "using", "typedef", "new", "static", "extern", "break", "do")
)


_LINE = re.compile(r"^[ \t]*#[ \t]*line\b.*$", re.M)


class Unsupported(Exception):
    """A text this floor does not cut; it runs as it is."""


StatementKind: TypeAlias = Literal["block", "for", "while", "do", "if", "barrier", "exchange", "shared", "plain"]
_HEADED: dict[str, StatementKind] = {"for": "for", "while": "while", "if": "if"}


class Statement(Struct, frozen=True):
    """A statement in the half-open range of tokens ``first`` to ``end``.

    kind: block, for, while, do, if, barrier, exchange, shared or plain. ``header`` are the ranges of what stands in a
    header's parentheses: three of a for, one of while, do and if. ``parts`` are a block's statements, a loop's body, or
    what an if chooses from.
    """

    kind: StatementKind
    first: int
    end: int
    header: tuple[tuple[int, int], ...] = ()
    parts: tuple[Statement, ...] = ()


class Declarator(Struct, frozen=True):
    """One variable of a declaration: ``T *name[4] = value`` has the pointer ``*`` and the dimensions ``[4]``.

    ``target`` are the dimensions of the array that ``T (*name)[4]`` points to. ``value`` is the half-open range of
    tokens of the initialiser, empty without one.
    """

    base: str
    pointer: str
    name: str
    dimensions: str
    value: tuple[int, int]
    is_const: bool
    target: str = ""

    @property
    def type(self) -> str:
        """The type of a variable or, if it is an array, of its elements that can be written to."""
        if self.target:
            return f"::accache_cpu::Same<{self.base} (*){self.target}>::type"
        if self.pointer or set(self.base.split()) <= TYPES:
            return f"{self.base} {self.pointer}".strip()
        return f"std::remove_const_t<{self.base}>"


def statement_tokens(text: str) -> tuple[Token, ...]:
    """The tokens of text that are no ``#line``."""
    return tokenise(_LINE.sub(lambda line: " " * len(line[0]), text))


def parse_statement(tokens: tuple[Token, ...], first: int) -> Statement:
    """The statement that begins at ``first``; raises Unsupported for labels and directives."""
    word = tokens[first].text
    if word == "{":
        end = closing(tokens, first)
        return Statement("block", first, end + 1, parts=parse_statements(tokens, first + 1, end))
    if word in _HEADED:
        return _with_header(tokens, first, _HEADED[word])
    if word == "do":
        body = parse_statement(tokens, first + 1)
        last = closing(tokens, body.end + 1)
        return Statement("do", first, last + 2, ((body.end + 2, last),), (body,))
    if word in ("switch", "try", "case", "default", "#", "goto", "asm", "__asm__"):
        return _other(tokens, first, word)
    end = _semicolon(tokens, first)
    if word == BARRIER and end == first + 3:
        return Statement("barrier", first, end + 1)
    if EXCHANGE.fullmatch(word):
        return Statement("exchange", first, end + 1)
    texts = [token.text for token in tokens[first : first + 2]]
    return Statement("shared" if "__shared__" in texts else "plain", first, end + 1)


def parse_statements(tokens: tuple[Token, ...], first: int, end: int) -> tuple[Statement, ...]:
    """The statements in a half-open range of tokens."""
    found: list[Statement] = []
    while first < end:
        found.append(parse_statement(tokens, first))
        first = found[-1].end
    return tuple(found)


def _with_header(tokens: tuple[Token, ...], first: int, kind: StatementKind) -> Statement:
    last = closing(tokens, first + 1)
    header: tuple[tuple[int, int], ...] = ((first + 2, last),)
    if kind == "for":
        one = _semicolon(tokens, first + 2)
        two = _semicolon(tokens, one + 1)
        header = ((first + 2, one), (one + 1, two), (two + 1, last))
    body = parse_statement(tokens, last + 1)
    if kind == "if" and body.end < len(tokens) and tokens[body.end].text == "else":
        other = parse_statement(tokens, body.end + 1)
        return Statement(kind, first, other.end, header, (body, other))
    return Statement(kind, first, body.end, header, (body,))


def _other(tokens: tuple[Token, ...], first: int, word: str) -> Statement:
    if word == "switch":
        end = closing(tokens, closing(tokens, first + 1) + 1)
        return Statement("plain", first, end + 1)
    raise Unsupported(word)


def _semicolon(tokens: tuple[Token, ...], first: int) -> int:
    """The ``;`` that ends what begins at ``first``."""
    index = first
    while index < len(tokens):
        if tokens[index].text == ";":
            return index
        if tokens[index].text == "}" or (tokens[index].text == ":" and index == first + 1):
            raise Unsupported(tokens[first].text)
        index = closing(tokens, index) + 1 if tokens[index].text in OPENING else index + 1
    raise Unsupported("end of text")


def declarators(tokens: tuple[Token, ...], first: int, end: int) -> tuple[Declarator, ...]:
    """The variables that a declaration without its ``;`` declares; empty if the tokens are none."""
    index = first
    words: list[str] = []
    while index < end and tokens[index].is_name and _continues(tokens, index):
        words.append(tokens[index].text)
        index += 1
    if not words or words[0] in _KEYWORDS or set(words) <= _QUALIFIERS:
        return ()
    base = " ".join(word for word in words if word != "const")
    found: list[Declarator] = []
    while index < end:
        declared, index = _declarator(tokens, index, end, base, is_const="const" in words)
        if declared is None:
            return ()
        found.append(declared)
        index += 1
    return tuple(found)


def _continues(tokens: tuple[Token, ...], index: int) -> bool:
    """Whether the name at ``index`` belongs to the type of a declaration: another name, or a pointer, follows."""
    following = [token.text for token in tokens[index + 1 : index + 3]]
    return tokens[index + 1].is_name or following[0] == "*" or following == ["(", "*"]


def _declarator(
    tokens: tuple[Token, ...], first: int, end: int, base: str, *, is_const: bool
) -> tuple[Declarator | None, int]:
    """The declarator at ``first``, and the position of the comma behind it or the end."""
    index = first
    if tokens[index].text == "(":
        return _pointer_to_array(tokens, first, end, f"const {base}" if is_const else base)
    while index < end and (tokens[index].text == "*" or tokens[index].text in _QUALIFIERS):
        index += 1
    stars = [token.text for token in tokens[first:index]]
    if index >= end or not tokens[index].is_name:
        return None, end
    name = tokens[index].text
    index += 1
    dimensions = index
    while index < end and tokens[index].text == "[":
        index = closing(tokens, index) + 1
    shape = "".join(token.text for token in tokens[dimensions:index])
    value, index = _value(tokens, index, end)
    if index < 0:
        return None, end
    constant = "const" in stars if "*" in stars else is_const
    base = f"const {base}" if is_const and "*" in stars else base
    last = len(stars) - stars[::-1].index("*") if "*" in stars else 0
    return Declarator(base, " ".join(stars[:last]), name, shape, (value, index), constant), index


def _pointer_to_array(tokens: tuple[Token, ...], first: int, end: int, base: str) -> tuple[Declarator | None, int]:
    """The declarator ``(*const name)[4] = value``, and the position behind it."""
    last = closing(tokens, first)
    if last >= end or not tokens[last - 1].is_name or tokens[last + 1].text != "[":
        return None, end
    words = [token.text for token in tokens[first + 1 : last - 1]]
    index = last + 1
    while index < end and tokens[index].text == "[":
        index = closing(tokens, index) + 1
    target = "".join(token.text for token in tokens[last + 1 : index])
    value, index = _value(tokens, index, end)
    if index < 0 or words.count("*") != 1:
        return None, end
    return Declarator(
        base, "*", tokens[last - 1].text, "", value=(value, index), is_const="const" in words, target=target
    ), index


def _value(tokens: tuple[Token, ...], index: int, end: int) -> tuple[int, int]:
    """Where an initialiser begins and ends; the end is negative for what is none."""
    if index >= end or tokens[index].text == ",":
        return index, index
    if tokens[index].text != "=":
        return index, -1
    first = index = index + 1
    while index < end and tokens[index].text != ",":
        index = closing(tokens, index) + 1 if tokens[index].text in OPENING else index + 1
    return first, index


def jumps_out(tokens: tuple[Token, ...], statement: Statement) -> bool:
    """Whether a statement holds a break or continue of a loop around it."""
    words = [token.text for token in tokens[statement.first : statement.end]]
    if statement.kind in ("block", "if"):
        return any(jumps_out(tokens, part) for part in statement.parts)
    if words[0] == "switch" and "continue" in words:
        raise Unsupported("a switch")
    return statement.kind == "plain" and words[0] in ("break", "continue")
