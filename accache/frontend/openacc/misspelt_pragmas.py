"""Pragmas that are meant for OpenACC and spell its name in another way: compilers pass over them without a word."""

from __future__ import annotations

from accache.base.diagnostics import Reporter
from accache.base.spelling import similar
from accache.base.text import SourceFile, Span
from accache.frontend.grammar import DIRECTIVES
from accache.frontend.source.definitions import active_tokens
from accache.frontend.source.tokens import DIRECTIVE, tokenise

_NAMES = ("acc", "openacc")
_FIRST_WORDS = frozenset(name.split()[0] for name in DIRECTIVES)


def warn_of_misspelt(source: SourceFile, inactive: tuple[Span, ...], reporter: Reporter) -> None:
    """Warn of ``#pragma ac parallel``, ``#pragma parallel loop`` and their like (ACC255)."""
    for token in active_tokens(source, inactive):
        if token.kind != DIRECTIVE:
            continue
        words = tokenise(source, token.span.start + 1, token.span.end)[:3]
        if len(words) < 3 or words[0].text != "pragma" or words[1].text == "acc":
            continue
        name, directive = words[1].text, words[2].text
        if directive in _FIRST_WORDS and similar(name.lower(), _NAMES):
            reporter.report("ACC255", source.locate(words[1].span), written=f"{name} {directive}", meant=directive)
        elif f"{name} {directive}" in DIRECTIVES or (name, directive) == ("cache", "("):
            meant = "cache(...)" if directive == "(" else f"{name} {directive}"
            reporter.report("ACC255", source.locate(words[1].span), written=meant, meant=meant)
