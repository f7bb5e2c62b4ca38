"""Loops without ``continue``: what stands in its place, and where nothing can."""

from __future__ import annotations

import re

import pytest

from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.driver import map_source, translate
from accache.ir.tree import Assign, Cache, If, Jump
from accache.ir.walk import walk

PROGRAM = """
void f(const float *restrict a, float *restrict b, int n, int m)
{{
#pragma acc parallel loop copyin(a[0:n + 8]) copy(b[0:n])
    for (int i = 3; i < n; i++) {{
        {body}
    }}
}}
"""
STRAIGHT = {
    "a guard": "if (i == 5) continue; b[i] = 1;",
    "two": "if (i < 4) continue; b[i] = a[i]; if (a[i] > 2) continue; b[i] += 1;",
    "with something to do": "if (i == 5) { b[i] = 2; continue; } b[i] = 1;",
    "otherwise": "if (i == 5) b[i] = 2; else continue; b[i] += 1;",
    "one of several": "if (i < 5) b[i] = 2; else if (i < 9) continue; else b[i] = 1;",
    "both": "if (i < 5) { b[i] = 2; continue; } else { if (i < 9) continue; b[i] = 3; } b[i] += 1;",
    "in a block": "{ float t = a[i]; if (t < 0) continue; b[i] = t; } b[i] += 1;",
    "at the end": "b[i] = 1; continue;",
    "in a sequential loop": "for (int k = 0; k < 4; k++) { if (k == i % 4) continue; b[i] += a[i + k]; }",
    "in a directive": "if (i > 4) {\n#pragma acc cache(a[i:3])\n if (i % 2) continue; b[i] = a[i + 2]; }",
}
LEFT = {
    "what follows would stand twice": "if (i > 5) { if (i % 2) continue; b[i] = 2; } b[i] += 1;",
    "in a switch": "switch (i % 3) { case 0: continue; default: b[i] = 2; } b[i] += 1;",
    "in another loop": "int k = 0; while (k++ < 4) { if (k == i % 4) continue; b[i] += a[i]; }",
    "behind a label": "if (i > 8) goto next; if (i > 5) continue; next: b[i] = 1;",
}
TILES = {
    "behind a guard of the whole construct": (
        "if (m < 3) continue;\n#pragma acc cache(a[i-3:7])\nb[i] = a[i + 3] + a[i - 3];",
        False,
    ),
    "in a guard of its own": (
        "if (i < n - 3) {\n#pragma acc cache(a[i-3:7])\n{ b[i] = a[i + 3]; continue; } }",
        False,
    ),
    "behind a guard": ("if (i >= n - 3) continue;\n#pragma acc cache(a[i-3:7])\nb[i] = a[i + 3] + a[i - 3];", True),
    "behind a guard of an outer loop": (
        "for (int k = 0; k < 4; k++) { if (i >= n - 3) continue;\n#pragma acc cache(a[i-3:7])\nb[i] += a[i + 3]; }",
        True,
    ),
    "behind the other way": (
        "if (i >= n - 3) { b[i] = a[i]; continue; }\n#pragma acc cache(a[i-3:7])\nb[i] = a[i + 3];",
        True,
    ),
    "behind a guard of its bounds": (
        "if (i >= n - 3) continue;\n#pragma acc cache(a[(int)b[0]:7])\nb[i] = a[i + 3];",
        False,
    ),
}


def body_of(body: str) -> list[object]:
    """All nodes of the mapped kernel whose loop has such a body."""
    reporter = Reporter()
    [[kernel]] = map_source(SourceFile("a.c", PROGRAM.format(body=body)), Options(), reporter).mapped
    assert not reporter.has_errors
    return list(walk(kernel.body))


@pytest.mark.parametrize("name", STRAIGHT)
def test_conditions_stand_in_the_place_of_continue(name: str) -> None:
    nodes = body_of(STRAIGHT[name])
    assert not any(isinstance(node, Jump) for node in nodes)
    stores = len(re.findall(r"b\[i\] \+?=", STRAIGHT[name]))
    assert sum(isinstance(node, Assign) for node in nodes) == stores


def test_guards_one_behind_the_other_are_one_condition() -> None:
    body = "if (i == 5) continue; if (i < 4 || a[i] > 2) continue; if (i > n - 3) continue; b[i] = a[i]; b[i] += 1;"
    device = translate(SourceFile("a.c", PROGRAM.format(body=body)), Options(coarsen="off", runtime=False)).device
    assert "if (i < n && i != 5 && i >= 4 && !(a[i] > 2) && i <= n - 3) {" in device


@pytest.mark.parametrize("name", LEFT)
def test_loops_are_left_as_they_are(name: str) -> None:
    assert any(isinstance(node, Jump) and node.keyword == "continue" for node in body_of(LEFT[name]))


@pytest.mark.parametrize("name", TILES)
def test_all_threads_come_to_a_directive_behind_a_continue(name: str) -> None:
    body, is_outside = TILES[name]
    nodes = body_of(body)
    [directive] = [node for node in nodes if isinstance(node, Cache)]
    [condition] = [node for node in nodes if isinstance(node, If)]
    assert (condition in list(walk(directive))) is is_outside
