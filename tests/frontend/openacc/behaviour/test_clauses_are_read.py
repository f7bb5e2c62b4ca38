"""A clause that the grammar knows is read by some pass, or refused: a row of the grammar alone is no clause.

Its text here is made of its shape; TEXTS has those of clauses that need another one.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from accache.base.diagnostics import CompileError, Reporter
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.driver import map_source
from accache.frontend import grammar, program
from accache.frontend.openacc.clauses import DATA_ACTIONS, ClauseBuilder
from accache.frontend.openacc.pragmas import parse_directive
from accache.frontend.source.constructs import PragmaSite
from accache.ir.openacc import regions
from accache.ir.openacc.directives import Directive

LOOP = "for (int i = 0; i < n; ++i)\n        for (int j = 0; j < 8; ++j)\n            a[8*i + j] = s;"
FUNCTION = "void f(float *a, float s, int n, float *p)\n{{\n    {before}\n#pragma acc {directive}\n    {after}\n}}\n"
SHAPES = {
    "loop": {"before": "#pragma acc parallel copy(a[0:8*n])", "after": LOOP},
    "data": {"after": ";"},
    "host_data": {"after": ";"},
    "cache": {
        "before": "#pragma acc parallel loop copy(a[0:8*n])\n    for (int i = 0; i < n; ++i) {",
        "after": "a[i] = s; }",
    },
    **{
        f"atomic {kind}": {
            "before": "#pragma acc parallel loop copy(a[0:n])\n    for (int i = 0; i < n; ++i) {\n        float b;",
            "after": f"{statement} }}",
        }
        for kind, statement in {
            "read": "b = a[0];",
            "write": "a[0] = s;",
            "update": "a[0]++;",
            "capture": "b = a[0]++;",
        }.items()
    },
    **{f"{kind}{loop}": {"after": LOOP} for kind in ("parallel", "serial", "kernels") for loop in ("", " loop")},
}
"""What stands before and behind a directive; nothing where it is not here."""
TEXTS = {
    "cache": "(a[i:1])",
    **dict.fromkeys(("attach", "detach", "deviceptr", "use_device", "device_resident", "link"), "(p)"),
    **dict.fromkeys(("private", "firstprivate"), "(s)"),
    "default": "(present)",
    "device_type": "(nvidia)",
    "collapse": "(2)",
    "tile": "(2, 2)",
    **dict.fromkeys(("gang", "worker", "vector", "self"), ""),
}
OF_SHAPE = {
    grammar.Shape.NOTHING: "",
    grammar.Shape.VALUES: "(1)",
    grammar.Shape.VARIABLES: "(a[0:8])",
    grammar.Shape.REDUCTION: "(+: s)",
    grammar.Shape.WAIT: "(1)",
    grammar.Shape.WORDS: "(g)",
}
UNREAD = "accepted, and nothing asks for it: ClauseBuilder in accache/frontend/openacc/clauses.py is to read it"
NEEDED = {"enter data": "create(p[0:1])", "exit data": "delete(p[0:1])", "host_data": "use_device(p)", "routine": "seq"}


class Watched(Directive, frozen=True):
    """A directive that notes which of its clauses are asked for."""

    def clauses_named(self, *names: str) -> tuple[grammar.ClauseRule, ...]:  # type: ignore[override]
        ASKED.update((self.name, name) for name in names)
        return super().clauses_named(*names)  # type: ignore[return-value]

    def has(self, name: str) -> bool:
        ASKED.add((self.name, name))
        return super().has(name)


ASKED: set[tuple[str, str]] = set()
PARSED: set[tuple[str, str]] = set()


@pytest.fixture(autouse=True)
def watching(monkeypatch: pytest.MonkeyPatch) -> None:
    """Directives are watched ones, and what reads data clauses tells which."""

    def parse(site: PragmaSite, source: SourceFile, reporter: Reporter) -> Directive | None:
        found = parse_directive(site, source, reporter)
        if found is None:
            return None
        PARSED.update((found.name, clause.name) for clause in found.clauses)
        return Watched(*(getattr(found, name) for name in Directive.__struct_fields__))

    read = ClauseBuilder.data

    def data(self: ClauseBuilder, directive: Directive, scope: Any) -> object:
        ASKED.update((directive.name, name) for name in DATA_ACTIONS)
        return read(self, directive, scope)

    monkeypatch.setattr(program, "parse_directive", parse)
    monkeypatch.setattr(ClauseBuilder, "data", data)
    ASKED.clear()
    PARSED.clear()


def text_of(clause: str) -> str:
    """What stands in a clause's parentheses, and these."""
    return TEXTS[clause] if clause in TEXTS else OF_SHAPE[grammar.CLAUSES[clause].shape]


def source(directive: str, clause: str) -> SourceFile:
    """A program with one clause at one directive, and no more than the directive needs."""
    is_update = (directive, clause) == ("update", "self")
    text = clause + ("(a[0:8])" if is_update else text_of(clause))
    needed = "" if clause in grammar.REQUIRED.get(directive, ()) else NEEDED.get(directive, "")
    needed = "" if directive == "routine" and clause in ("gang", "worker", "vector", "seq") else needed
    needed = "copyin(a[0:8])" if directive == "data" and clause not in DATA_ACTIONS else needed
    needed = "self(p[0:1])" if directive == "update" and clause not in ("self", "device", "host") else needed
    words = " ".join(word for word in (directive + TEXTS["cache"] * (directive == "cache"), needed, text) if word)
    if directive == "routine":
        return SourceFile("a.c", f"void g(float *a);\n#pragma acc {words}\nvoid f(float *a) {{ a[0] = 1; }}\n")
    shape = {"before": "", "after": ""} | SHAPES.get(directive, {})
    return SourceFile("a.c", FUNCTION.format(directive=words, **shape))


def unread(directive: str, clause: str) -> str:
    """Why a clause counts as unread, '' if it is read or refused."""
    reporter = Reporter()
    parsed = "self" if (directive, clause) == ("update", "host") else clause  # two names of one clause
    try:
        map_source(source(directive, clause), Options(), reporter)
    except CompileError as error:
        if (directive, parsed) not in PARSED:
            return f"'{clause}{text_of(clause)}' is not its syntax: give TEXTS another one"
        return "" if error.diagnostics else "an error without a diagnostic"
    return "" if (directive, parsed) in ASKED else UNREAD


@pytest.mark.parametrize("directive", grammar.DIRECTIVES)
def test_each_clause_is_read_or_refused(directive: str) -> None:
    found = {clause: unread(directive, clause) for clause in sorted(grammar.DIRECTIVES[directive])}
    assert {clause: why for clause, why in found.items() if why} == {}


@pytest.mark.parametrize("shape", grammar.Shape)
def test_a_row_of_the_grammar_alone_is_found(shape: grammar.Shape, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(grammar.CLAUSES, "fancy", grammar.ClauseRule("fancy", shape))
    monkeypatch.setitem(grammar.DIRECTIVES, "parallel", grammar.DIRECTIVES["parallel"] | {"fancy"})
    assert unread("parallel", "fancy") == UNREAD
    assert unread("parallel", "async") == ""


VALUES = [
    value
    for value in vars(regions).values()
    if isinstance(value, type) and issubclass(value, Struct) and value.__module__ == regions.__name__
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: value.__name__)
def test_what_clauses_become_is_read_behind_the_front_end(value: type[Struct]) -> None:
    folder = Path(regions.__file__).parents[2]
    text = "".join(path.read_text() for path in folder.rglob("*.py") if "frontend" not in path.parts)
    unused = [field for field in value.__struct_fields__ if not re.search(rf"\.{field}\b", text)]
    assert unused == [], f"no pass reads these of {value.__name__}: what their clauses ask for is not done"
