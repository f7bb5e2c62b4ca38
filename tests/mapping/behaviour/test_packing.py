"""Threads that reduce arrays have several iterations each."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
void f(int n, int m, int (*restrict a)[m], const int *restrict b)
{
    float sum[20] = {0};
    int other[300] = {0}, one = 0;
#pragma acc parallel loop CLAUSES copyin(b[0:n])
    for (int i = 0; i < n; ++i) {
        sum[b[i] % 20] += i;
        other[b[i] % 300] += 1;
        one += b[i];
    }
    a[0][0] = sum[3] + other[7] + one;
}
"""


@pytest.mark.parametrize(
    ("clauses", "grid", "step"),
    [
        ("reduction(+:sum) private(other, one)", "accache_at_most(1024, (i_count + 5119) / 5120)", "256*gridDim.x"),
        ("reduction(+:sum, other, one)", "accache_at_most(1024, (i_count + 16383) / 16384)", "256*gridDim.x"),
        ("reduction(+:one) private(sum, other)", "accache_at_most(1024, (i_count + 255) / 256)", "262144"),
    ],
)
def test_threads_have_an_iteration_for_each_element(clauses: str, grid: str, step: str, tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(PROGRAM.replace("CLAUSES", clauses))
    made = translate(str(source), Options())
    assert f"const dim3 grid({grid});" in made.device
    assert f"i += {step})" in made.device


NEST = """
float f(int n, int m, const float *restrict b)
{
    float most = 0;
#pragma acc parallel loop collapse(2) reduction(max:most) copyin(b[0:n*m])
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < M; ++j)
            BODY
    return most;
}
"""
SHORT = "most = most > b[i*m + j] ? most : b[i*m + j];"


@pytest.mark.parametrize(
    ("body", "rows", "columns", "grid"),
    [
        (SHORT, "n", "m", "(j_count + 31) / 32, accache_quarter_first(1024, (i_count + 7) / 8, (j_count + 31) / 32)"),
        (
            f"for (int k = 0; k < n; ++k) {SHORT.replace('i*m', 'k*m')}",
            *("n", "m"),
            "(j_count + 31) / 32, accache_at_most(1024, (i_count + 7) / 8, (j_count + 31) / 32)",
        ),
        (SHORT, "128", "512", "16, 16"),  # 256 blocks, which have one iteration a thread
        (SHORT, "512", "512", "16, 16"),  # four
        (SHORT, "1024", "512", "16, 32"),
        (SHORT, "8192", "512", "16, 64"),  # as many as there may be
        (SHORT, "512", "65536", "2048, 1"),
    ],
)
def test_threads_of_nests_with_short_bodies_have_several_iterations(
    body: str, rows: str, columns: str, grid: str, tmp_path: Path
) -> None:
    source = tmp_path / "a.c"
    source.write_text(NEST.replace("BODY", body).replace("N;", f"{rows};").replace("M;", f"{columns};"))
    assert f"const dim3 grid({grid});" in translate(str(source), Options()).device


def test_blocks_of_nests_are_those_of_constants(tmp_path: Path) -> None:
    """What a launch finds for sizes that only the run knows is what the translation finds for constants."""
    sizes = [(128, 512), (512, 512), (513, 512), (1024, 512), (8192, 512), (1, 32), (9, 32 * 1024), (40, 32 * 2048)]
    head = made_with(NEST.replace("BODY", SHORT).replace("N;", "n;").replace("M;", "m;"), tmp_path)
    helper = re.search(r"inline unsigned accache_at_most.*?(?=inline dim3 accache_slice)", head, re.DOTALL)
    assert helper is not None
    asked = "".join(f'std::printf("%u ", accache_quarter_first(1024, {(n + 7) // 8}, {m // 32}));' for n, m in sizes)
    (tmp_path / "blocks.cpp").write_text(f"#include <cstdio>\n{helper[0]}\nint main() {{ {asked} }}\n")
    subprocess.run(["g++", tmp_path / "blocks.cpp", "-o", tmp_path / "blocks"], check=True)
    counted = subprocess.run([tmp_path / "blocks"], capture_output=True, text=True, check=True).stdout.split()
    for (n, m), blocks in zip(sizes, counted, strict=True):
        fixed = made_with(NEST.replace("BODY", SHORT).replace("N;", f"{n};").replace("M;", f"{m};"), tmp_path)
        assert f"const dim3 grid({m // 32}, {blocks});" in fixed


def made_with(text: str, folder: Path) -> str:
    source = folder / "a.c"
    source.write_text(text)
    made = translate(str(source), Options())
    return made.joined or ""
