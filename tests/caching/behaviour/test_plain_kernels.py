"""Kernels whose directives get no tile: they are what the program without directives has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import Translation, translate

PROGRAM = """
void f(const float *a, float *b, int n, int m)
{{
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
    for (int i = 1; i < n - 1; ++i) {{
#pragma acc cache({directive})
        for (int k = 0; k < m; ++k)
            {statement}
    }}
}}
"""
UPDATE = "b[i] = (a[i - 1] + b[i] + a[i + 1]) / 3;"
NEIGHBOURS = "b[i] = (a[i - 1] + b[i] + b[i + 1]) / 3;"


def bodies(device: str) -> list[str]:
    """What the kernels do; the order of their parameters is that in which the program names them."""
    return re.findall(r"__global__[^{]*\{(.*?)\n\}", device, re.DOTALL)


def translated(folder: Path, directive: str, statement: str, options: Options) -> tuple[Translation, list[str]]:
    """The translation of the program, and the kernels of that without its directive."""
    source, bare = folder / "a.c", folder / "bare.c"
    source.write_text(PROGRAM.format(directive=directive, statement=statement))
    bare.write_text(source.read_text().replace(f"#pragma acc cache({directive})", "//"))
    return translate(str(source), options), bodies(translate(str(bare), options).device)


def test_an_element_that_a_loop_updates_is_in_a_register(tmp_path: Path) -> None:
    """Only where arrays are apart, which the launch tests: the kernel for others reads and writes memory."""
    made, bare = translated(tmp_path, "b[i:1]", UPDATE, Options(runtime=False))
    assert [told.code for told in made.diagnostics] == ["ACC403"]
    (kernel,) = made.report.kernels
    assert [item.method for item in kernel.subarrays] == ["register"]
    assert "b_element" in made.device
    assert "f_L4_kernel_overlapping<<<" in made.device
    assert bodies(made.device) == bare


@pytest.mark.parametrize(("directive", "statement"), [("a[i-1:3]", UPDATE), ("b[i:1]", NEIGHBOURS)])
def test_another_array_is_in_none(directive: str, statement: str, tmp_path: Path) -> None:
    made, bare = translated(tmp_path, directive, statement, Options(runtime=False, coarsen="off"))
    assert "ACC403" not in {told.code for told in made.diagnostics}
    assert bodies(made.device) == bare


def test_a_method_asked_for_makes_a_tile(tmp_path: Path) -> None:
    made, _ = translated(tmp_path, "b[i:1]", UPDATE, Options(runtime=False, method="rbi"))
    assert "b_tile" in made.device


COPIED = """
void f(int n, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:1])
        b[i] = a[i];
        for (int k = 0; k < 9; ++k)
            b[i] += k;
    }
}
"""


def test_what_a_register_begins_with_is_not_what_it_holds(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(COPIED)
    made = translate(str(source), Options(runtime=False, coarsen="off"))
    assert "float b_element = a[i];" in made.device
    assert [told.code for told in made.diagnostics] == ["ACC419"]


SEVERAL = """
void f(int n, const float *restrict a, float *restrict b, const float *restrict c, float *restrict d)
{{
#pragma acc kernels copyin(a[0:2*n], c[0:2*n]) copy(b[0:n], d[0:n])
    {{
#pragma acc loop independent
        for (int i = 0; i < n; ++i) {{
            {directive}
            b[i] += a[i];
        }}
#pragma acc loop independent
        for (int i = 20; i < n; ++i) {{
            float sum = 0;
#pragma acc cache(c[i + n/7 - 20:41])
            for (int k = -20; k <= 20; ++k)
                sum += c[i + n/7 + k]*k;
            d[i] += sum;
        }}
#pragma acc loop independent
        for (int i = 0; i < n; ++i) {{
            {directive}
            b[i] += a[i];
        }}
    }}
}}
"""


def test_kernels_of_a_construct_share_what_the_host_computes(tmp_path: Path) -> None:
    """One of them has a tile; those without one are of another mapping, in which fewer quotients are computed."""
    source, bare = tmp_path / "a.c", tmp_path / "bare.c"
    source.write_text(SEVERAL.format(directive="\n#pragma acc cache(a[i + n/9:1])\n"))
    bare.write_text(SEVERAL.format(directive="\n//\n"))
    found = [translate(str(path), Options(runtime=False, coarsen="off")).device for path in (source, bare)]
    assert "int n_over_7" in found[0]
    assert bodies(found[0]) == bodies(found[1])
