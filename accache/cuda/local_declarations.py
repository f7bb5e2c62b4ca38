"""Declarations inside of functions in forms that C does not have: values in braces or parentheses, and references.

Before: ``int x{0}; float s(1), t[4]{}; const float &first = a[i];``, and ``first`` wherever it is used.
After: ``int x = {0}; float s = (1), t[4] = {0}; const float *first = &(a[i]);``, and ``(*first)``.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from accache.base.text import Edit, Span
from accache.cpu.tokens import Token, closing
from accache.cuda.items import Item
from accache.cuda.text import Cuda, NoViewError
from accache.cuda.words import BASIC

_NO_TYPES = frozenset(
    ("struct", "union", "enum", "class", "namespace", "return", "new", "else", "case", "goto", "do", "try", "typename")
)
_NO_NAMES = frozenset(("else", "do", "try", "const", "mutable", "noexcept", "override"))
_TYPE_WORDS = frozenset((*BASIC, "const", "constexpr", "static", "signed", "volatile"))
_STARTS = frozenset((";", "{", "}", "("))


class Locals(Struct, frozen=True):
    """The edits of a function's declarations; ``references`` became pointers, by the offsets of their names."""

    edits: tuple[Edit, ...]
    references: dict[int, str]


def local_declarations(cuda: Cuda, item: Item) -> Locals:
    """What C writes for the declarations in a function's body.

    Raises:
        NoViewError: a reference has no counterpart.
    """
    tokens = cuda.tokens
    edits, references = list[Edit](), dict[int, str]()
    for index in range(item.body + 1, item.end):
        text = tokens[index].text
        if text == "{" and _is_value(tokens, index):
            edits.append(_insert(tokens[index].start, "= "))
            edits += [_insert(tokens[index + 1].start, "0")] if tokens[index + 1].text == "}" else []
        elif text == "(" and _is_constructor(tokens, index):
            edits.append(_insert(tokens[index].start, "= "))
        elif text == "[" and tokens[index + 1].text == "[" and tokens[index - 1].text in _STARTS:
            edits.append(Edit(Span(tokens[index].start, tokens[closing(tokens, index)].end), " "))
        elif text == "&" and _is_reference(tokens, index):
            first, end = _value(cuda, index)
            edits += [_insert(tokens[first].start, "&("), _insert(tokens[end - 1].end, ")")]
            edits.append(Edit(Span(tokens[index].start, tokens[index].end), "*"))
            references[tokens[index + 1].start] = tokens[index + 1].text
    again = [token.text for token in tokens[item.body : item.end]]
    for name in references.values():
        if list(references.values()).count(name) > 1 or any(_declares(again, k, name) for k in range(len(again) - 1)):
            raise NoViewError(f"'{name}' is a reference, and something else", _first(tokens, item, name))
    return Locals(tuple(edits), references)


def _insert(offset: int, text: str) -> Edit:
    return Edit(Span(offset, offset), text)


def _first(tokens: tuple[Token, ...], item: Item, name: str) -> Span:
    token = next(token for token in tokens[item.body : item.end] if token.text == name)
    return Span(token.start, token.end)


def _declares(words: list[str], index: int, name: str) -> bool:
    """Whether another variable of a name is declared, or a member of such a name used, at a word."""
    return words[index + 1] == name and (words[index] in (".", "->") or words[index] in BASIC)


def _is_value(tokens: tuple[Token, ...], brace: int) -> bool:
    """Whether a brace behind the name of a variable, or the lengths of an array, holds its value."""
    name = brace - 1
    while tokens[name].text == "]":
        name = _opening(tokens, name) - 1
    if not tokens[name].is_name or tokens[name].text in _NO_NAMES:
        return False
    before = tokens[name - 1]
    if before.text == ",":  # of several variables, the one before has such a value, too
        end = name - 2
        if tokens[end].text == ")":
            return _is_constructor(tokens, _opening(tokens, end))
        return tokens[end].text == "}" and _is_value(tokens, _opening(tokens, end))
    return before.text == "*" or (before.is_name and before.text not in _NO_TYPES)


def _is_constructor(tokens: tuple[Token, ...], opening: int) -> bool:
    """Whether a parenthesis behind the name of a variable of a plain type holds its value."""
    first = opening - 2
    if not tokens[opening - 1].is_name or tokens[opening - 1].text in _TYPE_WORDS or tokens[first].text not in BASIC:
        return False
    while tokens[first].text in _TYPE_WORDS:
        first -= 1
    return tokens[first].text in _STARTS and tokens[closing(tokens, opening) + 1].text in (";", ",")


def _is_reference(tokens: tuple[Token, ...], index: int) -> bool:
    """Whether an ampersand declares a reference: behind words of a type alone, in front of a name with a value."""
    if not tokens[index + 1].is_name or tokens[index + 2].text != "=" or not tokens[index - 1].is_name:
        return False
    first = index - 1
    while tokens[first].is_name or tokens[first].text == "::":
        first -= 1
    words = {token.text for token in tokens[first + 1 : index]}
    return tokens[first].text in _STARTS and not words & _NO_TYPES


def _value(cuda: Cuda, mark: int) -> tuple[int, int]:
    """The tokens of what a reference refers to.

    Raises:
        NoViewError: others are declared with it.
    """
    tokens = cuda.tokens
    index = mark + 3
    while tokens[index].text != ";":
        if tokens[index].text == ",":
            raise NoViewError("it declares several references at once", Span(tokens[mark].start, tokens[mark].end))
        index = closing(tokens, index) + 1 if tokens[index].text in ("(", "[", "{") else index + 1
    return mark + 3, index


def _opening(tokens: tuple[Token, ...], close: int) -> int:
    """The bracket that one closes."""
    return next(k for k in _backwards(tokens, close) if closing(tokens, k) == close)


def _backwards(tokens: tuple[Token, ...], close: int) -> Iterator[int]:
    return (k for k in range(close - 1, -1, -1) if tokens[k].text in ("(", "[", "{"))
