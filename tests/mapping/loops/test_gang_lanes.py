"""Loops for which only gangs are named: where the threads of a block have iterations, too."""

from __future__ import annotations

from typing import TypeGuard

import pytest

from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.driver import map_source, translate
from accache.ir.kernels.simt import ParallelFor
from accache.ir.walk import walk
from accache.mapping.mapped import MappedKernel

PROGRAM = """
#pragma acc routine vector
void fill(float *a, int n)
{{
#pragma acc loop vector
    for (int j = 0; j < n; ++j)
        a[j] = j;
}}

void f(const float *restrict a, float *restrict b, int n, float t)
{{
    float s = 0, own[8];
#pragma acc {construct} copyin(a[0:8*n]) copy(b[0:8*n])
    for (int i = 0; i < n; ++i) {{
        {body}
    }}
    b[0] += s;
}}
"""
SEQUENTIAL = "float u = 0;\n#pragma acc loop seq\nfor (int k = 0; k < 8; ++k) u += a[8*i + k]; b[i] = u;"
LANES = "\n#pragma acc loop vector\nfor (int k = 0; k < 8; ++k) b[8*i + k] = a[8*i + k];"


def threads(construct: str, body: str) -> int:
    """How many threads the blocks of the kernel have."""
    return kernel(construct, body).shape.threads


def kernel(construct: str, body: str) -> MappedKernel:
    reporter = Reporter()
    text = PROGRAM.format(construct=construct, body=body)
    [[found]] = map_source(SourceFile("a.c", text), Options(), reporter).mapped
    assert not reporter.has_errors
    return found


@pytest.mark.parametrize("construct", ["parallel loop gang", "kernels loop gang independent"])
@pytest.mark.parametrize(
    "body",
    [
        "b[i] = a[i];",
        SEQUENTIAL,
        "float u[8] = {a[i]}; for (int k = 1; k < 8; ++k) u[k] = u[k - 1] + a[8*i + k]; b[i] = u[i % 8];",
        "\n#pragma acc cache(a[i:2])\nb[i] = a[i] + a[i + 1];",
    ],
)
def test_threads_have_iterations(construct: str, body: str) -> None:
    assert threads(construct, body) == 256


@pytest.mark.parametrize("clauses", ["reduction(+:s)", "private(t)", "num_gangs(4)", "collapse(1)"])
def test_clauses_that_say_nothing_of_threads(clauses: str) -> None:
    assert threads(f"parallel loop gang {clauses}", "b[i] = a[i];" if "s" not in clauses else "s += a[i];") >= 128


@pytest.mark.parametrize(
    ("construct", "body"),
    [
        ("parallel loop gang vector_length(1)", "b[i] = a[i];"),
        ("parallel loop gang num_workers(1) vector_length(1)", "b[i] = a[i];"),
        ("parallel loop gang private(own)", "own[i % 8] = a[i]; b[i] = own[i % 8];"),
    ],
)
def test_one_thread_of_each_block_has_them(construct: str, body: str) -> None:
    assert threads(construct, body) == 1


def blocks(construct: str, body: str) -> bool:
    """Whether blocks share the iterations."""
    return any(isinstance(node, ParallelFor) and bool(node.grid) for node in walk(kernel(construct, body).body))


@pytest.mark.parametrize(
    "construct",
    [
        "parallel loop vector",
        "parallel loop worker",
        "parallel loop worker vector",
        "parallel loop vector vector_length(64)",
        "parallel loop vector reduction(+:s)",
    ],
)
def test_loops_for_threads_alone_are_shared_by_gangs(construct: str) -> None:
    assert blocks(construct, "s += a[i];" if "(+:s)" in construct else "b[i] = a[i];")


@pytest.mark.parametrize(
    ("construct", "body"),
    [
        ("parallel loop vector num_gangs(1)", "b[i] = a[i];"),
        ("parallel loop seq", "b[i] = a[i];"),
    ],
)
def test_loops_for_threads_whose_gangs_are_told_stay(construct: str, body: str) -> None:
    assert not blocks(construct, body)


@pytest.mark.parametrize("body", [LANES + " b[8*i] += 1;", "fill(b + 8*i, 8);"])
def test_what_is_for_threads_keeps_its_gangs(body: str) -> None:
    [outer] = [node for node in walk(kernel("parallel loop gang", body).body) if _is_over_gangs(node)]
    assert not outer.block


def _is_over_gangs(node: object) -> TypeGuard[ParallelFor]:
    return isinstance(node, ParallelFor) and bool(node.grid)


KEPT = """
void f(const float *restrict a, float *restrict b, int n)
{{
    float s = 0;
#pragma acc parallel copyin(a[0:n]) copy(b[0:n]) num_gangs(1)
    {{
        {declared}
#pragma acc loop gang
        for (int i = 0; i < n; ++i) {{
            {body}
        }}
    }}
}}
"""


@pytest.mark.parametrize(
    ("declared", "body", "count"),
    [
        ("float k = 3;", "b[i] = a[i]*k;", 1),
        ("", "float t = a[i]; t *= 2; b[i] = t;", 256),
        ("float u[4];", "for (int k = 0; k < 4; ++k) u[k] = a[i] + (k ? u[k - 1] : 0); b[i] = u[3];", 1),
        ("float t, *p = &t;", "*p = a[i]; b[i] = t;", 1),
        ("float t, *p = &t;", "b[i] = a[i] + t;", 1),
        ("struct { float x, y; } t;", "t.x = a[i]; b[i] = t.x;", 1),
        ("float t = 0;", "t += a[i]; b[i] = t;", 1),
        ("", "s += a[i]; b[i] = s;", 1),
    ],
)
def test_what_a_gang_keeps_is_for_one_thread(declared: str, body: str, count: int) -> None:
    [[found]] = map_source(SourceFile("a.c", KEPT.format(declared=declared, body=body)), Options(), Reporter()).mapped
    assert (found.shape.threads > 1) == (count > 1)


TWO = """
void f(const float *restrict a, float *restrict b, int n)
{{
#pragma acc {construct} copyin(a[0:n]) copy(b[0:n])
    {{
#pragma acc loop gang independent
        for (int i = 0; i < n; ++i)
            b[i] = a[i];
#pragma acc loop gang independent
        for (int i = 0; i < n; ++i)
            b[i] += 1;
    }}
}}

#pragma acc routine gang
void g(float *b, int n)
{{
#pragma acc loop gang
    for (int i = 0; i < n; ++i)
        b[i] += 1;
}}
"""


@pytest.mark.parametrize(("construct", "counts"), [("parallel", [1]), ("kernels", [256, 256])])
def test_loops_of_one_kernel_keep_the_iterations_of_each_gang(construct: str, counts: list[int]) -> None:
    mapped = map_source(SourceFile("a.c", TWO.format(construct=construct)), Options(), Reporter()).mapped
    assert [found.shape.threads for found in mapped[0]] == counts


def test_loops_of_routines_keep_the_iterations_of_each_gang() -> None:
    assert (
        "for (int i = blockIdx.x; i < n; i += gridDim.x)"
        in translate(SourceFile("a.c", TWO.format(construct="kernels")), Options(runtime=False)).device
    )
