"""Rounds of loops over lanes whose length is a constant."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
void f(float *restrict a)
{
#pragma acc parallel loop gang num_gangs(4) vector_length(32) copy(a[0:4096])
    for (int g = 0; g < 4; ++g) {
#pragma acc loop vector
        for (LOOP
    }
}
"""


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ("int i = 0; i < 32; ++i) a[i] = g;", "const int i = threadIdx.x;\n"),
        ("int i = 9; i >= 0; --i) a[i] = g;", "if (threadIdx.x < 10) {\n            const int i = 9 - threadIdx.x;\n"),
        ("int i = 0; i < 128; i += 2) a[i] = g;", "const int i = 2*threadIdx.x + 64*i_round;"),
        ("int i = 0; i < 32; ++i) { if (g) { if (i == g) continue; } a[i] = g; }", "i_round < 1; ++i_round) {"),
        ("int i = 0; i < 40; ++i) a[i] = g;", "for (int i = threadIdx.x; i < 40; i += 32)\n"),
        ("int i = g; i < 32; ++i) a[i] = g;", "for (int i = g + threadIdx.x; i < 32; i += 32)\n"),
    ],
)  # fmt: skip
def test_rounds_that_nvcc_can_count(loop: str, expected: str, tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(PROGRAM.replace("LOOP", loop))
    assert expected in translate(str(source), Options()).device
