"""Strips of loops that programs spell out: when they are undone, and what directives in them then name."""

from __future__ import annotations

import pytest

from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.driver import map_source
from accache.ir.as_polynomial import polynomial_of
from accache.ir.kernels.simt import ParallelFor
from accache.ir.names import user_name
from accache.ir.openacc.regions import Region
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Cache
from accache.ir.walk import walk
from accache.mapping.mapped import MappedKernel

PROGRAM = """
#define MIN(a, b) ((a) < (b) ? (a) : (b))
void f(const float *restrict a, float *restrict b, int n, int m)
{{
#pragma acc parallel loop gang copyin(a[0:n*m+99]) copy(b[0:n*m+99])
    for (int ii = {first}; ii < {limit}; ii += 16) {{
#pragma acc loop vector
        for (int i = ii; i < {end}; ++i) {{
            {body}
        }}
    }}
}}
"""
SQUARES = """
#pragma acc parallel loop gang collapse(2) copyin(a[0:n*m+99]) copy(b[0:n*m+99])
for (int ii = 0; ii < n; ii += 8)
    for (int jj = 0; jj < m; jj += 32)
#pragma acc loop vector collapse(2)
        for (int i = ii; i < ii + 8; ++i)
            for (int j = jj; j < jj + 32; ++j) {
#pragma acc cache(a[i*m+jj-1:34])
                b[i*m + j] = a[i*m + j - 1] + a[i*m + j + 1];
            }
"""


def mapped(**parts: str) -> MappedKernel:
    """The kernel of a program with a loop through strips."""
    usual = {"first": "0", "limit": "n", "end": "ii + 16", "body": "b[i] = a[i];"}
    return of_text(PROGRAM.format(**usual | parts))


def of_text(text: str) -> MappedKernel:
    reporter = Reporter()
    [[kernel]] = map_source(SourceFile("a.c", text), Options(), reporter).mapped
    assert not reporter.has_errors
    return kernel


def loops(kernel: MappedKernel) -> dict[str, ParallelFor]:
    """The parallel loops of a kernel by their variables, as the user spells these."""
    return {user_name(node.loop.variable): node for node in walk(kernel.body) if isinstance(node, ParallelFor)}


def limit_of(region: Region, loop: ParallelFor) -> str:
    """A loop's limit; of one that the host computes, how."""
    values = {item.name: item.value for item in region.variables if item.value is not None}
    used = [values[name] for name in values if name in str(polynomial_of(loop.loop.limit))]
    return "computed" if used else str(polynomial_of(loop.loop.limit))


@pytest.mark.parametrize(
    ("parts", "limit"),
    [
        ({}, "computed"),
        ({"limit": "n + m"}, "computed"),
        ({"end": "MIN(ii + 16, n)"}, "n"),
        ({"end": "MIN(n, ii + 16)", "first": "m"}, "n"),
        ({"limit": "90"}, "96"),
        ({"limit": "90", "first": "2"}, "98"),
        ({"limit": "96"}, "96"),
    ],
)
def test_strips_are_undone(parts: dict[str, str], limit: str) -> None:
    kernel = mapped(**parts)
    found = loops(kernel)
    assert list(found) == ["i"]
    assert limit_of(kernel.region, found["i"]) == limit


@pytest.mark.parametrize(
    "parts",
    [
        {"body": "b[i] = a[ii];"},
        {"body": "int k = ii + 1; b[i] = a[k];"},
        {"end": "ii + 15"},
        {"end": "ii + 17"},
        {"end": "MIN(ii + 16, m)"},
        {"end": "n"},
        {"first": "m"},
        {"limit": "n / 2 + (int)a[0]"},
        {"body": "\n#pragma acc cache(a[ii:15])\nb[i] = a[i];"},
        {"body": "\n#pragma acc cache(a[2*ii:32])\nb[i] = a[i];"},
        {"body": "\n#pragma acc cache(a[ii:n])\nb[i] = a[i];"},
        {"body": "\n#pragma acc cache(a[0:ii])\nb[i] = a[i];"},
    ],
)
def test_strips_stay_where_something_else_depends_on_them(parts: dict[str, str]) -> None:
    assert "ii" in loops(mapped(**parts))


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ("a[ii:16]", "i: 1"),
        ("a[ii-1:18]", "i - 1: 3"),
        ("a[n*m+ii:20]", "m*n + i: 5"),
        ("a[i:3]", "i: 3"),
        ("a[0:99]", "0: 99"),
    ],
)
def test_directives_name_what_an_iteration_has_of_a_strip(named: str, expected: str) -> None:
    kernel = mapped(body=f"\n#pragma acc cache({named})\nb[i] = a[i];")
    assert list(loops(kernel)) == ["i"]
    assert named_in(kernel) == [expected]


def test_of_squares_both_loops_are_whole() -> None:
    kernel = of_text(f"void f(const float *restrict a, float *restrict b, int n, int m)\n{{{SQUARES}}}\n")
    found = loops(kernel)
    assert sorted(found) == ["i", "j"]
    assert {limit_of(kernel.region, loop) for loop in found.values()} == {"computed"}
    assert len([item for item in kernel.region.variables if item.value is not None]) == 2
    assert named_in(kernel) == ["i*m + j - 1: 3"]


def named_in(kernel: MappedKernel) -> list[str]:
    """What a kernel's directives name: the first element and the number of them."""
    parts = [
        part
        for node in walk(kernel.body)
        if isinstance(node, Cache)
        for item in node.subarrays
        for part in item.dimensions
    ]
    return [f"{spelled(polynomial_of(part.lower))}: {spelled(polynomial_of(part.length))}" for part in parts]


def spelled(value: Polynomial | None) -> str:
    assert value is not None
    names = {name: Polynomial.symbol(user_name(name)) for name in value.names}
    return str(value.substitute(names))
