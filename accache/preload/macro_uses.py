"""References to arrays that macros make, or are handed: ``A(i, k)``, and ``MAX(a[k], best)``.

The tree has what a macro makes, at the place of the macro's name.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from accache.base.text import Location
from accache.cpu.definitions import separated
from accache.cpu.tokens import BLANK, HASH, Token, closing, directive_spans, tokenise
from accache.cuda.kernel import KernelView

_DEFINITION = re.compile(rf"{HASH}define{BLANK}(\w+)")


def place_in_use(view: KernelView, location: Location, array: str) -> int | None:
    """The offset in the .cu text of the one reference to an array in the use of a macro at a place of the tree.

    That of the macro's name if it makes an element. None where the use does not hold one, or if a macro in it names the
    array itself, or makes text of what it is handed.
    """
    if view.where(location) is None:
        return None
    text = view.text.source.text
    start = view.text.source.offset(location.line, location.column)
    tokens = tokenise(text[start : _line_end(text, start)])
    tokens = tokens[: closing(tokens, 1) + 1] if len(tokens) > 1 and tokens[1].text == "(" else ()
    if _makes_element(text, tokens, array):
        return view.text.raw(start)
    found = [(token.start, after.text) for token, after in itertools.pairwise(tokens) if token.text == array]
    made = _made_by(text, {token.text for token in tokens})
    if len(found) != 1 or found[0][1] != "[" or made & {array, "#"}:
        return None
    return view.text.raw(start + found[0][0])


def _definitions(text: str) -> Iterator[tuple[str, str]]:
    """The macros that a text defines, each with what stands behind its name."""
    for span in directive_spans(text):
        found = _DEFINITION.match(text, span.start, span.end)
        if found is not None:
            yield found[1], text[found.end() : span.end]


def _body(definition: str) -> set[str]:
    """The tokens of what stands behind a macro's name, but for its parameters, which stand for what it is handed."""
    tokens = tokenise(definition)
    end = closing(tokens, 0) + 1 if definition.startswith("(") else 0
    return {token.text for token in tokens[end:]} - {token.text for token in tokens[:end] if token.is_name}


def _makes_element(text: str, use: tuple[Token, ...], array: str) -> bool:
    """Whether a use of a macro makes one element of an array: with ``#define A(i, j) a[(i)*n + (j)]``."""
    bodies = [body for name, body in _definitions(text) if use and name == use[0].text]
    if len(bodies) != 1 or not bodies[0].startswith("("):
        return False
    tokens = tokenise(bodies[0])
    end = closing(tokens, 0) + 1
    parameters, body = [token.text for token in tokens[1 : end - 1] if token.is_name], tokens[end:]
    while body and body[0].text == "(" and closing(body, 0) == len(body) - 1:
        body = body[1:-1]
    if len(body) < 4 or body[1].text != "[" or closing(body, 1) != len(body) - 1:
        return False
    handed = [use[first:last] for first, last in separated(use, 2, len(use) - 1)]
    given = dict(zip(parameters, handed, strict=False)).get(body[0].text)
    return body[0].text == array if given is None else [token.text for token in given] == [array]


def _line_end(text: str, start: int) -> int:
    """Where the statement ends that a use of a macro begins in, or is a part of: no use holds a semicolon."""
    return text.find(";", start) + 1 or len(text)


def _made_by(text: str, words: set[str]) -> set[str]:
    """The tokens of the macros among some words, and of those that these name."""
    definitions: dict[str, set[str]] = {}
    for name, body in _definitions(text):
        definitions.setdefault(name, set()).update(_body(body))
    made = set[str]()
    waiting = words
    while waiting:
        bodies = (definitions.get(word, set()) for word in waiting)
        waiting = set[str]().union(*bodies) - made
        made |= waiting
    return made
