"""How many threads a block has: what the user's sizes and levels say, and ours where nobody says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate

LINE = """
void f(float *restrict a)
{{
#pragma acc parallel loop {clauses} present(a)
    for (int i = 0; i < 1000; ++i)
        a[i] += 1;
}}
"""
NEST = """
void f(float *restrict a)
{{
#pragma acc parallel loop gang present(a) {sizes}
    for (int i = 0; i < 1000; ++i)
#pragma acc loop {inner}
        for (int j = 0; j < 500; ++j)
            a[i * 1000 + j] += 1;
}}
"""


def threads(text: str, folder: Path) -> int:
    """The threads of a block in the one kernel of a program."""
    source = folder / "a.c"
    source.write_text(text)
    found = re.findall(r"__launch_bounds__\((\d+)\) f_L", translate(str(source), Options()).device)
    assert len(found) == 1
    return int(found[0])


@pytest.mark.parametrize(
    ("clauses", "expected"),
    [
        ("", 256),
        ("gang vector vector_length(64)", 64),
        ("gang worker", 256),
        ("gang worker num_workers(4)", 256),
        ("gang worker num_workers(512)", 512),
        ("gang worker num_workers(4) vector_length(32)", 128),
        ("gang worker vector num_workers(4) vector_length(64)", 256),
        ("gang worker vector num_workers(4)", 256),
    ],
)
def test_a_loop_over_gangs_and_their_threads(clauses: str, expected: int, tmp_path: Path) -> None:
    assert threads(LINE.format(clauses=clauses), tmp_path) == expected


@pytest.mark.parametrize(
    ("sizes", "inner", "expected"),
    [
        ("", "vector", 128),
        ("vector_length(32)", "vector", 32),
        ("", "worker", 128),
        ("num_workers(4)", "worker", 128),
        ("num_workers(4) vector_length(32)", "worker vector", 128),
    ],
)
def test_a_loop_of_a_gangs_threads(sizes: str, inner: str, expected: int, tmp_path: Path) -> None:
    assert threads(NEST.format(sizes=sizes, inner=inner), tmp_path) == expected
