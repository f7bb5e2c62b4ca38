"""Directives moved out of loops in which their subarrays stay the same: which are, which stay, what they give."""

from __future__ import annotations

from pathlib import Path

import pytest
from families import parts
from matrix.builder import Program
from matrix.harness import Batch, Case

from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.caching.directives_outward import with_directives_outward
from accache.driver import translate
from accache.ir.kernels.simt import ParallelFor
from accache.ir.tree import Cache, Expr, Stmt
from accache.ir.walk import children
from accache.mapping.mapping import map_region
from accache.reading import read_program

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
static void {name}_f(int n, int m, const unsigned char *restrict at, float *restrict w, float *restrict y)
{{
#pragma acc parallel loop gang copyin(at[0:n*m+8]) copy(w[0:512], y[0:n*m])
    for (int i = 0; i < n; ++i) {{
        {outer}
#pragma acc loop vector
        for (int j = 0; j < m; ++j) {{
            float s = 0;
            {body}
            y[i*m + j] = s;
        }}
    }}
}}
int main(int argc, char **argv)
{{
    int n = atoi(argv[1]), m = atoi(argv[2]), seed = atoi(argv[3]);
    unsigned char *at = malloc(n*m + 8);
    float w[512], *y = malloc(sizeof *y * n*m);
    for (int i = 0; i < 512; ++i)
        w[i] = (i * 7 + seed) % 11;
    for (int i = 0; i < n*m + 8; ++i)
        at[i] = i * 7919u % 251;
    for (int i = 0; i < n*m; ++i)
        y[i] = i % 5;
    {name}_f(n, m, at, w, y);
    for (int i = 0; i < n*m; ++i)
        printf("%g ", y[i]);
    return 0;
}}
"""
CACHE = "\n#pragma acc cache({what})\n"
LOOK = "for (int k = 0; k < 9; ++k) s += w[at[i*m + (j + k*37) % m]];"
TABLE = CACHE.format(what="w[0:256]")
MOVED = {
    "table": ("", TABLE + LOOK),
    "behind_a_declaration": ("", "int k0 = j & 1;" + TABLE + LOOK + "s += k0;"),
    "out_of_two_loops": ("", f"for (int k = 0; k < 9; ++k) {{ {TABLE} s += w[at[i*m + (j + k*37) % m]]; }}"),
}
LEFT = {
    "row": CACHE.format(what="w[j % 7:256]") + LOOK,
    "named_again": TABLE + "s += w[at[i*m + j]];" + f"{{ {TABLE} {LOOK} }}",
    "from_memory": CACHE.format(what="w[at[i*m]:256]") + LOOK,
    "own": "int k0 = at[j];" + CACHE.format(what="w[k0:256]") + LOOK,
    "written": TABLE + LOOK + "if (j == 0) w[300] = s;",
    "below_a_condition": f"if (at[j] > 9) {{ {TABLE} {LOOK} }}",
}


def whole(name: str, parts: tuple[str, str]) -> str:
    """A program with a directive in its vector loop."""
    return PROGRAM.format(name=name, outer=parts[0], body=parts[1])


def kernel(tmp_path: Path, parts: tuple[str, str], **how: str) -> str:
    """What is emitted for it."""
    path = tmp_path / "a.c"
    path.write_text(whole("t", parts))
    text = translate(str(path), Options(coarsen="off", runtime=False, **how)).device
    return text.partition("__global__")[2].partition("\n}")[0]


@pytest.mark.parametrize("name", MOVED)
def test_a_table_is_fetched_before_the_loop(name: str, tmp_path: Path) -> None:
    found = kernel(tmp_path, MOVED[name])
    assert found.index("_w_fetch(") < found.index("__syncthreads") < found.index("for (int j = threadIdx.x")
    assert found.count("__syncthreads") == 1


def around(body: str) -> list[list[str]]:
    """The variables of the loops around each directive, once it is moved."""
    source = SourceFile("t.c", whole("t", ("", body)))
    (region,) = read_program(source, Options(), Reporter()).program.regions
    (kernel,) = map_region(region, Reporter())
    found: list[list[str]] = []

    def visit(node: Expr | Stmt, loops: list[str]) -> None:
        if isinstance(node, Cache):
            found.append(loops)
        if isinstance(node, ParallelFor):
            loops = [*loops, node.loop.variable]
        for child in children(node):
            visit(child, loops)

    visit(with_directives_outward(kernel).body, [])
    return found


def test_directives_are_moved_out_of_vector_loops_alone() -> None:
    assert around(MOVED["table"][1]) == [["i"]]


@pytest.mark.parametrize("name", LEFT)
def test_others_stay_where_they_are(name: str) -> None:
    assert all(loops == ["i", "j"] for loops in around(LEFT[name]))


def test_of_several_subarrays_those_are_moved_that_stay_the_same() -> None:
    assert around(CACHE.format(what="w[0:256], at[i*m+j:8]") + LOOK) == [["i"], ["i", "j"]]


def test_a_method_that_is_asked_for_fetches_where_the_directive_stands(tmp_path: Path) -> None:
    found = kernel(tmp_path, MOVED["table"], method="rbi")
    assert found.index("for (int j_first") < found.index("_w_fetch(")


@pytest.mark.parametrize("names", parts((*MOVED, *LEFT), 2))
def test_results_stay_the_same(names: list[str], tmp_path: Path) -> None:
    texts = {**MOVED, **{name: ("", body) for name, body in LEFT.items()}}
    cases = [
        Case(Program(name, whole(name, texts[name]), ((1, 1), (3, 130), (2, 300)), (), cached=False), Options())
        for name in names
        if name != "written"  # in which gangs race
    ]
    assert Batch(tmp_path, cases).differences(check=True) == []
