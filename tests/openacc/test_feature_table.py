"""docs/openacc.md says of each directive and clause what accache does with it; every row is tried."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from accache.base.diagnostics import CompileError, Severity
from accache.base.options import Options
from accache.driver import translate
from accache.frontend.grammar import DIRECTIVES, SUBJECTS

TABLE = Path(__file__).parents[2] / "docs" / "openacc.md"
_ROW = re.compile(
    r"^\| `(?P<directive>[a-z_ ]+)` \| (?:`(?P<clause>\w+)`)? *\| (?P<status>[^|]+) \| `(?P<example>[^`]+)` \|"
)
_LOOP = "for (int i = 0; i < n; ++i)\n    a[i] = 2 * b[i];\n"
_HEAD = "#pragma acc parallel loop copy(a[0:n], b[0:n])\n"
_ATOMIC = _HEAD + "for (int i = 0; i < n; ++i)\n{pragma}\n    "
# what stands around the example, by the first word of its directive
_PLACES = {
    "loop": "#pragma acc parallel copy(a[0:n], b[0:n])\n{{\n{pragma}\n" + _LOOP + "}}\n",
    "cache": _HEAD + "for (int i = 1; i < n - 1; ++i) {{\n{pragma}\n    a[i] = b[i - 1] + b[i + 1];\n}}\n",
    "atomic read": _ATOMIC + "a[i] = b[0];\n",
    "atomic write": _ATOMIC + "b[0] = i;\n",
    "atomic update": _ATOMIC + "b[0] += i;\n",
    "atomic capture": _ATOMIC + "a[i] = b[0]++;\n",
}
_NAMES = """    int local[8] = {0}, scalar = 0, sum = 0;
    extern int table[8];
    (void)local, (void)scalar, (void)sum;
"""
_ROUTINE = "int twice(int x)\n{\n    return 2 * x;\n}\n"
_EXECUTABLE = ("enter", "exit", "update", "wait", "init", "shutdown", "set", "declare")


@dataclass(frozen=True)
class Row:
    """One row of the table; ``code`` is empty where the feature is supported."""

    directive: str
    clause: str
    code: str
    example: str

    def __str__(self) -> str:
        return f"{self.directive} {self.clause}".strip().replace(" ", "-")

    @property
    def program(self) -> str:
        """A small program with the example in it."""
        pragma = f"#pragma acc {self.example}"
        head = "void f(int *restrict a, int *restrict b, int n)\n{\n"
        words = self.example.split("(")[0].split()
        if words[0] == "routine":
            return f"{pragma}\n{_ROUTINE}{head}{_PLACES['loop'].format(pragma='')}}}\n"
        place = _PLACES.get(words[0]) or _PLACES.get(self.directive)
        if place is None:
            place = "{pragma}\n" + ("" if words[0] in _EXECUTABLE else _LOOP)
        return f"{head}{_NAMES}{place.format(pragma=pragma)}}}\n"


def rows() -> list[Row]:
    """The rows about directives and clauses."""
    found = []
    for line in TABLE.read_text().splitlines():
        match = _ROW.match(line)
        if match:
            refused = re.fullmatch(r"refused \[(ACC\d+)\]\(diagnostics\.md#acc\d+\)", match["status"].strip())
            assert refused or match["status"].strip() == "supported", line
            found.append(
                Row(match["directive"], match["clause"] or "", refused[1] if refused else "", match["example"])
            )
    return found


@pytest.mark.parametrize("row", rows(), ids=str)
def test_what_the_table_says_is_so(row: Row, tmp_path: Path) -> None:
    source = tmp_path / "example.c"
    source.write_text(row.program)
    try:
        found = translate(str(source), Options()).diagnostics
    except CompileError as error:
        found = error.diagnostics
    assert {item.code for item in found if item.severity is Severity.ERROR} == ({row.code} if row.code else set())


def test_the_table_holds_every_directive_and_clause() -> None:
    wanted = set()
    for directive, clauses in DIRECTIVES.items():
        if directive.endswith(" loop"):
            continue
        wanted.add((directive, ""))
        wanted |= {(directive, clause) for clause in clauses}
    found = {(row.directive, row.clause) for row in rows()}
    assert wanted - found == set(), "docs/openacc.md lacks rows of these directives and clauses"
    assert found - wanted == set(), "docs/openacc.md has rows of what the grammar does not know"
    assert set(SUBJECTS) <= set(DIRECTIVES)


@pytest.mark.parametrize("row", [row for row in rows() if row.clause], ids=str)
def test_an_example_holds_its_clause(row: Row) -> None:
    assert re.search(rf"\b{row.clause}\b", row.example)
    assert row.example.startswith(row.directive)
