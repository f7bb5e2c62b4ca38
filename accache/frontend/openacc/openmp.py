"""Files whose directives are all OpenMP's: accache leaves them as they are, and says so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from accache.base.diagnostics import Reporter
from accache.base.text import SourceFile, Span
from accache.frontend.grammar import DIRECTIVES
from accache.frontend.source.definitions import active_tokens
from accache.frontend.source.tokens import CLOSING, DIRECTIVE, OPENING, Token, matching, tokenise

_NEAREST = (
    ({"target", "enter", "data"}, "enter data"),
    ({"target", "exit", "data"}, "exit data"),
    ({"target", "data"}, "data"),
    ({"target", "update"}, "update"),
    ({"declare", "target"}, "routine seq"),
    ({"atomic", "capture"}, "atomic capture"),
    ({"atomic", "read"}, "atomic read"),
    ({"atomic", "write"}, "atomic write"),
    ({"atomic"}, "atomic update"),
    ({"parallel", "for"}, "parallel loop"),
    ({"parallel", "loop"}, "parallel loop"),
    ({"teams", "distribute"}, "parallel loop"),
    ({"teams", "loop"}, "parallel loop"),
    ({"for"}, "loop"),
    ({"distribute"}, "loop gang"),
    ({"loop"}, "loop"),
    ({"simd"}, "loop vector"),
    ({"parallel"}, "parallel"),
    ({"teams"}, "parallel"),
    ({"target"}, "serial"),
)
"""Words of OpenMP's directives, and OpenACC's directive for them; the first row all of whose words are there counts."""
_CLAUSES = {
    "num_teams": "num_gangs",
    "thread_limit": "vector_length",
    "use_device_ptr": "use_device",
    "is_device_ptr": "deviceptr",
    "to": "device",
    "from": "self",
}
_MAPPED = {
    "to": "copyin",
    "from": "copyout",
    "tofrom": "copy",
    "alloc": "create",
    "release": "delete",
    "delete": "delete",
}


def note_openmp(source: SourceFile, inactive: tuple[Span, ...], reporter: Reporter) -> None:
    """Tell at the first of OpenMP's directives that nothing is done about them (ACC256)."""
    found = list(_directives(source, inactive))
    if found:
        first = found[0]
        which = "this directive of OpenMP" if len(found) == 1 else f"the {len(found)} directives of OpenMP in this file"
        place = source.locate(Span(first[1].span.start, first[-1].span.end))
        reporter.report("ACC256", place, which=which, instead=nearest(first[2:]) or "parallel loop")


def _directives(source: SourceFile, inactive: tuple[Span, ...]) -> Iterator[tuple[Token, ...]]:
    for token in active_tokens(source, inactive):
        words = tokenise(source, token.span.start + 1, token.span.end) if token.kind == DIRECTIVE else ()
        if [word.text for word in words[:2]] == ["pragma", "omp"] and len(words) > 2:
            yield words


def nearest(words: Sequence[Token]) -> str:
    """OpenACC's directive that is nearest to one of OpenMP, with the clauses that both have; '' if none is."""
    names: set[str] = set()
    clauses: list[tuple[str, str]] = []
    position = 0
    while position < len(words):
        is_clause = [word.text for word in words[position + 1 : position + 2]] == ["("]
        close = matching(words, position + 1) if is_clause else None
        if close is not None:
            clauses.append(_clause(words[position].text, words[position + 2 : close]))
        else:
            names.add(words[position].text)
        position = (close or position) + 1
    directive = next((name for needed, name in _NEAREST if needed <= names), "")
    allowed = DIRECTIVES.get(directive, frozenset())
    return " ".join((directive, *(f"{name}({text})" for name, text in clauses if name in allowed)))


def _clause(name: str, inside: Sequence[Token]) -> tuple[str, str]:
    """The name and the list of the clause of OpenACC that means what one of OpenMP does; no name if there is none."""
    listed = inside
    name = _CLAUSES.get(name, name)
    if name == "map":
        colon = _colon(inside)
        kinds = [token.text for token in inside[:colon]]
        name = next((_MAPPED[kind] for kind in kinds if kind in _MAPPED), "copy")
        listed = inside[colon + 1 :] if colon else inside
    return name, "".join(", " if token.text == "," else token.text for token in listed)


def _colon(tokens: Sequence[Token]) -> int:
    """The first colon outside of brackets; 0 if there is none."""
    depth = 0
    for number, token in enumerate(tokens):
        depth += (token.text in OPENING) - (token.text in CLOSING)
        if token.text == ":" and not depth:
            return number
    return 0
