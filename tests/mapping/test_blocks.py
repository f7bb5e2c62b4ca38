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
    for (int i = 0; i < 1000; ++i) {{
        a[i * 1000 + 500] = 0;
#pragma acc loop {inner}
        for (int j = 0; j < 500; ++j)
            a[i * 1000 + j] += 1;
    }}
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


SHORT = """
void f(int n, float *restrict a)
{{
#pragma acc parallel loop collapse({count}) present(a)
{heads}
        a[{index}] += 1;
}}
"""


@pytest.mark.parametrize(
    ("heads", "index", "block"),
    [
        (("i < n", "j < 3"), "3*i + j", (3, 85, 1)),
        (("i < 5", "j < n"), "n*i + j", (32, 5, 1)),
        (("i < 5", "j < 3"), "3*i + j", (3, 5, 1)),
        (("i < n", "j < 40"), "40*i + j", (32, 8, 1)),
        (("i < n", "j < 4", "k < 4"), "16*i + 4*j + k", (4, 4, 16)),
        (("i < n", "j < n", "k < 2"), "2*n*i + 2*j + k", (2, 4, 32)),
        (("i < 3",), "i", (32, 1, 1)),
        (("i < 64",), "i", (64, 1, 1)),
    ],
)
def test_blocks_are_no_wider_than_short_loops(
    heads: tuple[str, ...], index: str, block: tuple[int, int, int], tmp_path: Path
) -> None:
    loops = "\n".join(f"    for (int {head[0]} = 0; {head}; ++{head[0]})" for head in heads)
    source = tmp_path / "a.c"
    source.write_text(SHORT.format(count=len(heads), heads=loops, index=index))
    assert translate(str(source), Options()).report.kernels[0].block == block


GANG = """
void f(float *restrict a)
{{
#pragma acc parallel loop gang present(a)
    for (int i = 0; i < 1000; ++i) {{
        float s = 0;
        {loops}
        a[i * 1000 + 999] = s;
    }}
}}
"""
EACH = "{clauses}for (int j = 0; j < {n}; ++j) a[i * 1000 + j] += {value};"
VECTOR = '_Pragma("acc loop vector") '


@pytest.mark.parametrize(
    ("loops", "expected"),
    [
        (((VECTOR, 40, "1"),), 64),
        (((VECTOR, 64, "1"), (VECTOR, 16, "2")), 64),
        (((VECTOR, 16, "1"), (VECTOR, 300, "2")), 128),
        (((VECTOR, 16, "1"), (VECTOR, "i", "2")), 128),
        (((VECTOR, 16, "1"), ("", "i", "2")), 128),  # lanes may have this one, too
        (((VECTOR, 16, "1"), ('_Pragma("acc loop seq") ', "i", "a[i * 1000 + j + 1]")), 32),
        ((('_Pragma("acc loop vector reduction(+:s)") ', 16, "(s += 1, 1)"),), 128),
    ],
)
def test_blocks_of_gangs_are_no_wider_than_their_loops_over_vectors(
    loops: tuple[tuple[str, object, str], ...], expected: int, tmp_path: Path
) -> None:
    text = "\n".join(EACH.format(clauses=clauses, n=n, value=value) for clauses, n, value in loops)
    assert threads(GANG.format(loops=text), tmp_path) == expected


def test_the_only_block_along_an_axis_has_no_number(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(
        "void f(int n, float *restrict a)\n{\n#pragma acc parallel loop gang copy(a[0:3*n])\n"
        "    for (int i = 0; i < n; ++i) {\n#pragma acc loop vector\n        for (int c = 0; c < 3; ++c)\n"
        "            a[3*i + c] += 1;\n    }\n}\n"
    )
    device = translate(str(path), Options(runtime=False)).device
    kernel = device[device.index("_kernel(") :].partition("\n}")[0]
    assert "const int c = threadIdx.x;" in kernel
