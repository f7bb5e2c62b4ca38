"""What becomes of unsigned sums that might wrap: proved, tested by the launch, or not taken for exact."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import Translation, translate

LOOP = """void f(const float *restrict a, float *restrict b, {parameters})
{{
#pragma acc parallel loop copyin(a[0:n+4]) copy(b[0:n])
    for ({index} i = 0; i < n; i++) {{
#pragma acc cache(a[{lower}:3])
        b[i] = a[{lower}] + a[{lower} + 1] + a[{lower} + 2];
    }}
}}
"""


def translated(tmp_path: Path, text: str) -> Translation:
    path = tmp_path / "f.c"
    path.write_text(text)
    return translate(str(path), Options(method="rbi"))


@pytest.mark.parametrize(
    ("parameters", "index", "lower", "test"),
    [
        ("unsigned n", "unsigned", "i", "(double)n + 4 <= UINT_MAX"),
        ("unsigned n, unsigned off", "unsigned", "i + off", "(double)n + off + 1 <= UINT_MAX"),
        ("unsigned n, unsigned m", "unsigned", "i*m", "(double)m*n - m + 2 <= UINT_MAX"),
        ("unsigned short n, unsigned char off", "unsigned", "i + off", ""),
        ("int n", "int", "i", ""),
        ("unsigned long n, unsigned long off", "unsigned long", "i + off", ""),
    ],
)
def test_a_tile_is_used_where_the_launch_finds_that_its_sums_fit(
    tmp_path: Path, parameters: str, index: str, lower: str, test: str
) -> None:
    device = translated(tmp_path, LOOP.format(parameters=parameters, index=index, lower=lower)).device
    assert "a_tile[" in device
    assert f"if ({test})" in device if test else "UINT_MAX" not in device


def test_a_sum_that_only_the_device_knows_is_not_taken_for_exact(tmp_path: Path) -> None:
    text = LOOP.format(parameters="const unsigned *off, unsigned n", index="unsigned", lower="i + shift")
    text = text.replace("#pragma acc cache", "unsigned shift = off[i];\n#pragma acc cache")
    translation = translated(tmp_path, text.replace("copyin(", "copyin(off[0:n], "))
    assert "its lower bound is not a polynomial" in str(translation.diagnostics)
    assert "a_tile[" not in translation.device


@pytest.mark.parametrize(("index", "is_tested"), [("unsigned", True), ("unsigned long", False), ("int", False)])
def test_a_loop_proved_independent_has_a_second_version_where_products_may_wrap(
    tmp_path: Path, index: str, is_tested: bool
) -> None:
    device = translated(
        tmp_path,
        f"""void f(float *a, {index} n)
{{
#pragma acc kernels copy(a[0:n*n])
    for ({index} i = 0; i < n; i++)
        for ({index} j = 0; j < n; j++)
            a[i*n + j] += 1;
}}
""",
    ).device
    assert "parallel over i, j" in device
    assert ("f_L4_kernel_sequential<<<1, 1>>>(" in device) == is_tested
    assert ("if ((double)n*n - 1 <= UINT_MAX)" in device) == is_tested
