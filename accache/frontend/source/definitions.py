"""The file-scope function definitions of a C file, found by tokens."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from accache.base.text import SourceFile, Span
from accache.frontend.source.tokens import DIRECTIVE, IDENTIFIER, Token, matching, tokenise

_TYPE_WORDS = frozenset(
    {"void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Bool", "_Complex", "const"}
    | {"volatile", "static", "extern", "inline"}
)
_LONGEST_HEADER = 500  # tokens; what is longer is no function header but text with macros in it
_TAG_WORDS = frozenset({"struct", "union", "enum"})
_ATTRIBUTE_WORDS = frozenset({"__attribute__", "__attribute", "__asm__", "__asm", "asm", "__declspec", "_Alignas"})


class Definition(Struct, frozen=True):
    """A function definition: ``span`` from its first specifier to its closing brace, ``body`` with both braces."""

    span: Span
    body: Span
    name: str


_all_tokens = lru_cache(maxsize=8)(tokenise)
"""The tokens of a file: all ask for those of the same few."""


@lru_cache(maxsize=8)
def active_tokens(source: SourceFile, inactive: tuple[Span, ...] = ()) -> tuple[Token, ...]:
    """The tokens outside the inactive #if groups; preprocessor lines are kept."""
    tokens = _all_tokens(source)
    if not inactive:
        return tokens
    kept: list[Token] = []
    spans = iter(inactive)
    span: Span | None = next(spans)
    for token in tokens:
        while span is not None and span.end <= token.span.start:
            span = next(spans, None)
        if span is None or token.span.start < span.start:
            kept.append(token)
    return tuple(kept)


@lru_cache(maxsize=8)
def code_tokens(source: SourceFile, inactive: tuple[Span, ...] = ()) -> tuple[Token, ...]:
    """The active tokens without preprocessor lines."""
    return tuple(token for token in active_tokens(source, inactive) if token.kind != DIRECTIVE)


@lru_cache(maxsize=8)
def definitions(source: SourceFile, inactive: tuple[Span, ...] = ()) -> tuple[Definition, ...]:
    """Every file-scope function definition in source order.

    K&R parameters, attributes and macros around the declarator are understood; text that is not
    C gives fewer definitions, never an error.
    """
    tokens = code_tokens(source, inactive)
    found: list[Definition] = []
    chunk: list[int] = []  # indices of the tokens at file scope since the last definition or declaration
    index = 0
    while index < len(tokens):
        text = tokens[index].text
        if text == "{" and _is_linkage(tokens, chunk):
            chunk, index = [], index + 1
            continue
        close = matching(tokens, index) if text in ("(", "[", "{") else index
        if close is None:
            break
        if text == "{" and (header := _header(tokens, chunk)) is not None:
            start, name = header
            body = Span(tokens[index].span.start, tokens[close].span.end)
            found.append(Definition(Span(tokens[start].span.start, body.end), body, name))
            chunk = []
        elif text == "}" or (text == ";" and not _may_be_old_style(tokens, chunk)):
            chunk = []
        else:
            chunk.append(index)
        index = close + 1
    return tuple(found)


def _is_linkage(tokens: Sequence[Token], chunk: Sequence[int]) -> bool:
    """Whether the tokens before a brace are ``extern "C"``."""
    return [tokens[i].text for i in chunk[-2:]] == ["extern", '"C"']


def _header(tokens: Sequence[Token], chunk: Sequence[int]) -> tuple[int, str] | None:
    """The first token and the name of the function whose header stands in ``chunk``; None if it is not a header."""
    words = [tokens[i].text for i in chunk]
    groups = [k for k, word in enumerate(words) if word == "(" and k > 0 and words[k - 1] not in _ATTRIBUTE_WORDS]
    last_semicolon = max((k for k, word in enumerate(words) if word == ";"), default=-1)
    recent = [k for k in groups if k > last_semicolon]
    first = last_semicolon + 1 if recent else 0
    if not groups or "=" in words[first:] or words[-1] in _TAG_WORDS:
        return None
    if len(words) > 1 and words[-2] in _TAG_WORDS and words[-1] != "(":
        return None  # struct tag { ... }
    name = _name(tokens, chunk, recent or groups[:1])
    return (chunk[first], name) if name else None


def _name(tokens: Sequence[Token], chunk: Sequence[int], groups: Sequence[int]) -> str:
    """The declared name: what stands before the last parameter list, or inside ``(*name(...))``."""
    for group in reversed(groups):
        index = chunk[group]
        before = tokens[chunk[group - 1]]
        if tokens[index + 1].text == "*" and (nested := _nested_name(tokens, index + 1)):
            return nested
        if before.kind == IDENTIFIER and before.text not in _TYPE_WORDS:
            return before.text
        if before.text == "(" and (nested := _nested_name(tokens, chunk[group - 1] + 1)):
            return nested
    return ""


def _nested_name(tokens: Sequence[Token], index: int) -> str:
    """The name in a declarator such as ``*name(``, ``(*name(`` or ``name)``."""
    while index < len(tokens) and tokens[index].text in ("*", "(", "const", "restrict", "volatile"):
        index += 1
    if index + 1 < len(tokens) and tokens[index].kind == IDENTIFIER and tokens[index + 1].text in ("(", ")"):
        return tokens[index].text
    return ""


def _may_be_old_style(tokens: Sequence[Token], chunk: Sequence[int]) -> bool:
    """Whether a ``;`` may end a K&R parameter declaration: a word follows the first parameter list."""
    if len(chunk) > _LONGEST_HEADER:
        return False
    words = [tokens[i].text for i in chunk]
    for k, word in enumerate(words[:-1]):
        if word == "(" and k > 0 and words[k - 1] not in _ATTRIBUTE_WORDS:
            after = tokens[chunk[k + 1]]
            return after.kind == IDENTIFIER and after.text not in _ATTRIBUTE_WORDS and "=" not in words
    return False
