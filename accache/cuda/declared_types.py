"""The type of a variable by the one declaration of its name in a function's text."""

from __future__ import annotations

from collections.abc import Iterator

from accache.cpu.tokens import Token
from accache.cuda.items import Item
from accache.cuda.text import Cuda

_QUALIFIERS = frozenset(
    ("const", "static", "volatile", "__restrict__", "__restrict", "restrict", "constexpr", "extern")
)
_NUMBERS = frozenset(("unsigned", "signed", "long", "short", "int", "char", "double", "float", "bool"))
_NO_TYPES = frozenset(
    ("return", "else", "case", "goto", "delete", "new", "typename", "auto", "sizeof", "throw", "using", "void")
)
_BEFORE = frozenset((";", "{", "}", "(", ","))
_BEHIND = frozenset(("=", ";", ",", ")", "[", "("))


def declared_type(cuda: Cuda, item: Item, name: str) -> tuple[tuple[str, ...], int] | None:
    """The words of a variable's type, and how many stars stand in front of its name.

    None if none or several declarations of the name stand in the function, or if it is an array.
    """
    found = set(_declarations(cuda.tokens[item.first : item.end], name))
    return found.pop() if len(found) == 1 else None


def _declarations(tokens: tuple[Token, ...], name: str) -> Iterator[tuple[tuple[str, ...], int] | None]:
    for index, token in enumerate(tokens[:-1]):
        if token.text != name or index < 1 or tokens[index + 1].text not in _BEHIND:
            continue
        place, stars = index - 1, 0
        while place >= 0 and (tokens[place].text == "*" or tokens[place].text in _QUALIFIERS):
            stars += tokens[place].text == "*"
            place -= 1
        words = _type_before(tokens, place)
        if not words and tokens[place].text == ",":  # float *a, *b;
            words = _first_type(tokens, place)
        if words and tokens[index + 1].text != "(":
            yield (words, stars) if tokens[index + 1].text != "[" else None


def _type_before(tokens: tuple[Token, ...], place: int) -> tuple[str, ...]:
    """The words of a type that end at a token, with what may stand before a declaration in front; else ()."""
    words: list[str] = []
    while place >= 0 and (tokens[place].is_name or tokens[place].text in _QUALIFIERS):
        if tokens[place].text not in _QUALIFIERS:
            words.insert(0, tokens[place].text)
        place -= 1
    is_plain = len(words) == 1 or (len(words) > 1 and _NUMBERS.issuperset(words))
    starts = place < 0 or tokens[place].text in _BEFORE
    return tuple(words) if words and is_plain and starts and not _NO_TYPES & set(words) else ()


def _first_type(tokens: tuple[Token, ...], place: int) -> tuple[str, ...]:
    """The type at the head of the declaration that a comma is part of."""
    start = place
    while start >= 0 and tokens[start].text not in (";", "{", "}", "(", ")", "="):
        start -= 1
    if start < 0 or tokens[start].text not in (";", "{", "}"):
        return ()
    words = []
    for token in tokens[start + 1 : place]:
        if not token.is_name and token.text != "*":
            break
        words.append(token.text)
    head = [word for word in words[: words.index("*")] if word not in _QUALIFIERS] if "*" in words else words[:-1]
    is_plain = len(head) == 1 or (len(head) > 1 and _NUMBERS.issuperset(head))
    return tuple(head) if is_plain and not _NO_TYPES & set(head) else ()
