"""Branches in kernels constructs: what one does once is not done by all gangs that share the loop of the other."""

from __future__ import annotations

import pytest

from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.driver import map_source
from accache.ir.kernels.simt import ParallelFor
from accache.ir.tree import Evaluate
from accache.ir.walk import walk

PROGRAM = """
void f(float *restrict a, float *restrict b, int n)
{{
#pragma acc kernels copy(a[0:n], b[0:n])
    {{
        int local = n;
        {body}
    }}
}}
"""
SHARED = "for (int i = 0; i < n; i++) a[i] *= 2;"
OWN = "for (int i = 0; i < n; i++) { t = a[i]; a[i] = t * 2; }"
APART = {
    "once": f"if (n > 9) {SHARED} else b[0] += 1;",
    "once, in front": f"if (n > 9) b[0] += 1; else {SHARED}",
    "in order": f"if (n > 9) {SHARED} else for (int i = 1; i < n; i++) b[i] += b[i - 1];",
    "of three": f"if (n > 9) {SHARED} else if (n > 3) b[0] += 1; else {SHARED}",
    "of a variable that others use": f"if (n > 9) {SHARED} else local += 1; b[1] = local;",
    "with variables of their loops": f"float t; if (n > 9) {OWN} else {{ {OWN} }}",
    "within": f"if (n > 9) {{ if (n > 20) {SHARED} else b[0] += 1; }}",
}
TOGETHER = {
    "the condition's own": f"if (a[0] > 9) {SHARED} else b[0] += 1;",
    "a variable of both": "float t = 1; if (n > 9) for (int i = 0; i < n; i++) { t += a[i]; a[i] = t; } else b[0] = t;",
}


def grids_and_others(body: str) -> list[tuple[int, int]]:
    """Of each kernel the loops over gangs, and the statements that stand in none of them."""
    [kernels] = map_source(SourceFile("a.c", PROGRAM.format(body=body)), Options(), Reporter()).mapped
    found = []
    for kernel in kernels:
        loops = [node for node in walk(kernel.body) if isinstance(node, ParallelFor) and node.grid]
        within = sum(isinstance(node, Evaluate) for loop in loops for node in walk(loop))
        found.append((len(loops), sum(isinstance(node, Evaluate) for node in walk(kernel.body)) - within))
    return found


@pytest.mark.parametrize("name", APART)
def test_branches_are_kernels_of_their_own(name: str) -> None:
    found = grids_and_others(APART[name])
    assert len(found) > 1 or name == "within"
    assert all(not grids or not others for grids, others in found), found
    assert any(grids for grids, _ in found) or name == "within"


def test_a_variable_that_a_loop_writes_first_is_its_own() -> None:
    nested = "float t;\n#pragma acc loop vector\nfor (int j = 0; j < 64; j++) { t = a[64*i + j]; b[64*i + j] = t; }"
    assert grids_and_others(f"float t; {OWN}") == [(1, 0)]
    body = f"#pragma acc loop gang independent\nfor (int i = 0; i < n; i++) {{ {nested} }}"
    [kernels] = map_source(SourceFile("a.c", PROGRAM.format(body=body)), Options(), Reporter()).mapped
    assert sum(isinstance(node, ParallelFor) for kernel in kernels for node in walk(kernel.body)) == 2


@pytest.mark.parametrize("name", TOGETHER)
def test_one_gang_runs_branches_that_are_not_parted(name: str) -> None:
    assert all(not grids for grids, _ in grids_and_others(TOGETHER[name]))
