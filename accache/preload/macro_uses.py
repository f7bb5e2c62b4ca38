"""References to arrays in what a macro is handed: ``MAX(a[k], best)``, of which the tree has what the macro makes."""

from __future__ import annotations

import itertools
import re

from accache.base.text import Location
from accache.cpu.tokens import BLANK, HASH, closing, directive_spans, tokenise
from accache.cuda.kernel import KernelView

_DEFINITION = re.compile(rf"{HASH}define{BLANK}(\w+)")


def place_in_use(view: KernelView, location: Location, array: str) -> int | None:
    """The offset in the .cu text of the one reference to an array in the use of a macro at a place of the tree.

    None where that does not hold one, or if a macro in it names the array itself, or makes text of what it is handed.
    """
    if view.where(location) is None:
        return None
    text = view.text.source.text
    start = view.text.source.offset(location.line, location.column)
    tokens = tokenise(text[start : _line_end(text, start)])
    tokens = tokens[: closing(tokens, 1) + 1] if len(tokens) > 1 and tokens[1].text == "(" else ()
    found = [(token.start, after.text) for token, after in itertools.pairwise(tokens) if token.text == array]
    made = _made_by(text, {token.text for token in tokens})
    if len(found) != 1 or found[0][1] != "[" or made & {array, "#"}:
        return None
    return view.text.raw(start + found[0][0])


def _body(definition: str) -> set[str]:
    """The tokens of what stands behind a macro's name, but for its parameters, which stand for what it is handed."""
    tokens = tokenise(definition)
    end = closing(tokens, 0) + 1 if definition.startswith("(") else 0
    return {token.text for token in tokens[end:]} - {token.text for token in tokens[:end] if token.is_name}


def _line_end(text: str, start: int) -> int:
    """Where the statement ends that a use of a macro begins in, or is a part of: no use holds a semicolon."""
    return text.find(";", start) + 1 or len(text)


def _made_by(text: str, words: set[str]) -> set[str]:
    """The tokens of the macros among some words, and of those that these name."""
    definitions: dict[str, set[str]] = {}
    for span in directive_spans(text):
        found = _DEFINITION.match(text, span.start, span.end)
        if found is not None:
            definitions.setdefault(found[1], set()).update(_body(text[found.end() : span.end]))
    made = set[str]()
    waiting = words
    while waiting:
        bodies = (definitions.get(word, set()) for word in waiting)
        waiting = set[str]().union(*bodies) - made
        made |= waiting
    return made
