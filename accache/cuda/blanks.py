"""What becomes of parts of a .cu text that a view leaves out: nothing but line breaks and conditional directives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from accache.base.text import Edit, Span
from accache.cpu.tokens import BLANK, HASH, directive_spans
from accache.cuda.text import Cuda
from accache.cuda.words import OF_FUNCTIONS, POSITIONS

KEPT = re.compile(
    rf"{HASH}(define|undef|if|ifdef|ifndef|elif|elifdef|elifndef|else|endif|pragma{BLANK}(?:pack|push_macro|pop_macro))\b"
)
"""Directives that a view keeps."""

DEFINITION = re.compile(rf"{HASH}define{BLANK}\w*")
_CHANGED = re.compile(rf"\b(?:(?P<word>{'|'.join(POSITIONS)})\s*\.\s*(?P<axis>[xyz])|{'|'.join(OF_FUNCTIONS)})\b")
"""Words in macros that C does not have: a position, or what stands in front of functions."""


def around(cuda: Cuda) -> list[Edit]:
    """Blanks for what stands around items: the braces of namespaces and of linkage specifications."""
    inside = {index for item in cuda.items for index in range(item.first, item.end)}
    return [blank(cuda, index, index + 1) for index in range(len(cuda.tokens)) if index not in inside]


def in_macros(cuda: Cuda, emptied: Sequence[Span]) -> Iterator[Edit]:
    """``threadIdx.x`` in macros becomes the variable ``threadIdx_x``, as elsewhere, and words like ``__device__`` go.

    In places that are ``emptied``, what stays of macros has that already.
    """
    text = cuda.source.text
    for span in directive_spans(text):
        inside = any(place.start <= span.start < place.end for place in emptied)
        definition = DEFINITION.match(text, span.start)
        if inside or definition is None:
            continue
        for found in _CHANGED.finditer(text, definition.end(), span.end):
            yield Edit(Span(*found.span()), _changed(found))


def _changed(found: re.Match[str]) -> str:
    return f"{found['word']}_{found['axis']}" if found["word"] else " "


def blank(cuda: Cuda, first: int, end: int) -> Edit:
    """Nothing in the place of tokens but their line breaks and the conditional directives among them."""
    start, stop = cuda.tokens[first].start, cuda.tokens[end - 1].end
    text = cuda.source.text[start:stop]
    return Edit(Span(start, stop), "".join(_skeleton(text)))


def _skeleton(text: str) -> Iterator[str]:
    position = 0
    for span in directive_spans(text):
        yield "\n" * text.count("\n", position, span.start)
        if KEPT.match(text, span.start):
            definition = DEFINITION.match(text, span.start)
            end = definition.end() if definition is not None else span.end
            yield text[span.start : end] + _CHANGED.sub(_changed, text[end : span.end])
        position = span.end
    yield "\n" * text.count("\n", position)
