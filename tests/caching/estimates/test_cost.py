"""Left to itself accache takes the tiles that pay by its estimate; ``python bench/cost`` counts what kernels take.

The ratios beside the samples are counted clocks with the tile to clocks without it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from accache.base.options import Options
from accache.caching.estimates.cost import Cost
from accache.driver import translate

SAMPLES = Path(__file__).parents[3] / "samples"
HEAD = """
void f(const {type} *restrict a, {type} *restrict b, int n, int m)
{{
#pragma acc parallel loop copyin(a[0:n*m+64]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {{
        {type} sum = 0;
#pragma acc cache({directive})
        {body}
        b[i] = sum;
    }}
}}
"""


def methods(source: Path, **options: Any) -> list[str]:
    """What becomes of each subarray of a program."""
    report = translate(str(source), Options(**options)).report
    return [item.method for kernel in report.kernels for item in kernel.subarrays]


@pytest.mark.parametrize(
    ("name", "flags", "decided"),
    [
        ("stencil", (), {"register"}),  # 0.73 with 4 iterations a thread, 1.55 with a tile
        ("stencil", ("-DRADIUS=30",), {"register"}),  # 0.35 with 4 iterations a thread, 0.82 with a tile
        ("jacobi", (), {"register"}),  # 0.55 with 2 x 4 iterations a thread, 1.80 with a tile
        ("gemm", (), {"rbi"}),  # 0.20 with 8 x 4 and tiles for all of them
        ("strided", (), {"register"}),  # 0.78 with 4, 1.15 with a tile
        ("nbody", (), {"rbi"}),  # 0.95
        ("write_dense", (), {"register"}),  # a tile takes 1.01
        ("write_sparse", (), {"rbi"}),  # 0.91
    ],
)
def test_samples(name: str, flags: tuple[str, ...], decided: set[str]) -> None:
    source = SAMPLES / f"{name}.c"
    assert set(methods(source, preprocessor=flags)) == decided
    assert set(methods(source, preprocessor=flags, tune="off")) == {"rbi"}


@pytest.mark.parametrize(
    ("kind", "directive", "body", "method"),
    [
        ("float", "a[i:3]", "for (int j = i; j < i + 3; ++j) sum += a[j];", "none"),
        ("float", "a[i:65]", "for (int j = i; j < i + 65; ++j) sum += a[j];", "rbi"),  # unaligned loads take 5 sectors
        ("float", "a[9*i:16]", "for (int j = 9*i; j < 9*i + 16; ++j) sum += a[j];", "rbi"),  # 32 sectors each
        ("float", "a[8*i:16]", "for (int j = 8*i; j < 8*i + 16; ++j) sum += a[j];", "rbi"),  # 2 turns of the banks each
        ("float", "a[0:64]", "for (int j = 0; j < 64; ++j) sum += a[j];", "none"),  # all read one element
        ("double", "b[i:1]", "for (int j = 0; j < m; ++j) if (j % 3) b[i] += j;", "rbi"),  # stores go to L2
        ("double", "b[i:1]", "for (int j = 0; j < m; ++j) b[i] += j;", "none"),  # but a register holds the element
    ],
)
def test_forms(kind: str, directive: str, body: str, method: str, tmp_path: Path) -> None:
    source = tmp_path / "form.c"
    source.write_text(HEAD.format(type=kind, directive=directive, body=body))
    assert methods(source, coarsen="off") == [method]


BLOCKS = """
void f(int h, int w, const float *restrict c, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop gang collapse(2) copyin(c[0:64], a[0:h*w]) copyout(b[0:h*w])
    for (int by = 0; by < h; by += 8)
        for (int bx = 0; bx < w; bx += 8) {
            float t[8][8];
#pragma acc cache(c[0:64])
#pragma acc loop vector collapse(2)
            for (int v = 0; v < 8; ++v)
                for (int x = 0; x < 8; ++x) {
                    float s = 0;
                    for (int y = 0; y < 8; ++y)
                        s += c[v*8 + y]*a[(by + y)*w + bx + x];
                    t[v][x] = s;
                }
#pragma acc loop vector collapse(2)
            for (int v = 0; v < 8; ++v)
                for (int u = 0; u < 8; ++u) {
                    float s = 0;
                    for (int x = 0; x < 8; ++x)
                        s += t[v][x]*c[u*8 + x];
                    b[(by + v)*w + bx + u] = s;
                }
        }
}
"""


def test_what_threads_of_a_block_certainly_do_takes_few_instructions(tmp_path: Path) -> None:
    """Counted are 30.3 clocks without a tile, issued instructions, and 34.0 with one, whose banks take turns."""
    source = tmp_path / "blocks.c"
    source.write_text(BLOCKS)
    assert methods(source) == ["none"]


SHADES = """
void f(int rows, int columns, const unsigned char *restrict image, const float *restrict weight, float *restrict out)
{
#pragma acc parallel loop collapse(2) copyin(image[0:rows*columns], weight[0:256]) copy(out[0:rows*columns])
    for (int i = 2; i < rows - 2; ++i)
        for (int j = 2; j < columns - 2; ++j) {
#pragma acc cache(weight[0:256])
            const int centre = image[i*columns + j];
            float sum = 0;
            for (int r = -2; r <= 2; ++r)
                for (int c = -2; c <= 2; ++c) {
                    const int shade = image[(i + r)*columns + j + c];
                    sum += weight[shade > centre ? shade - centre : centre - shade];
                }
            out[i*columns + j] = sum;
        }
}
"""


def test_what_computes_the_index_of_a_tile_counts(tmp_path: Path) -> None:
    """A tile takes the place of 25 loads, but their indices are computed all the same: four instructions each."""
    source = tmp_path / "shades.c"
    source.write_text(SHADES)
    (kernel,) = translate(str(source), Options(coarsen="off")).report.kernels
    clocks = {item.subarrays: item.clocks for item in kernel.candidates}
    assert 25 * 4 / 3.2 < clocks["weight[0:256]",] < clocks[()] < clocks["weight[0:256]",] + 25 * 4 / 3.2


SUMS = """
void f(int n, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:1])
        b[i] += a[i];
    }
}
"""


def test_a_tile_of_one_element_a_thread_saves_no_bytes(tmp_path: Path) -> None:
    source = tmp_path / "sums.c"
    source.write_text(SUMS)
    result = translate(str(source), Options())
    (kernel,) = result.report.kernels
    clocks = {item.subarrays: item.clocks for item in kernel.candidates if not item.iterations}
    assert clocks["a[i:1]",] == clocks[()]
    (told,) = (item.message for item in result.diagnostics if item.code == "ACC422")
    assert f"{clocks[()]:.1f} clocks (L2) with one" in told


SHORT = """
void f(int n, const int *restrict first, const double *restrict a, const double *restrict x, double *restrict y)
{
#pragma acc parallel loop gang copyin(first[0:n+1], a[0:16*n], x[0:8*n]) copyout(y[0:8*n])
    for (int i = 0; i < n; ++i) {
#pragma acc loop vector
        for (int v = 0; v < 8; ++v) {
            double s = 0;
            for (int e = first[i]; e < first[i + 1]; ++e) {
#pragma acc cache(a[e:1])
                s += a[e]*x[8*(e % n) + v];
            }
            y[8*i + v] = s;
        }
    }
}
"""


def test_idle_lanes_count(tmp_path: Path) -> None:
    """A gang with 8 iterations in blocks of 128 threads: its tile took 94 clocks of 32 iterations, memory 8."""
    source = tmp_path / "short.c"
    source.write_text(SHORT)
    assert methods(source) == ["none"]


def test_a_method_asked_for_is_obeyed() -> None:
    assert methods(SAMPLES / "stencil.c", method="rbi") == ["rbi"]


def test_the_largest_limit_counts() -> None:
    assert (Cost(slots=32).clocks, Cost(slots=32).bound) == (10, "issue")
    assert (Cost(slots=32, sectors=44).clocks, Cost(slots=32, sectors=44).bound) == (11, "L1")
    assert (Cost(slots=32, turns=12) + Cost(sectors=4)).bound == "shared"
    assert Cost(written=388).times(2).clocks == pytest.approx(20)
    assert Cost(slots=1, sectors=5) | Cost(slots=2, turns=3) == Cost(2, 5, 3)


def test_the_report_has_the_candidates() -> None:
    report = translate(str(SAMPLES / "gemm.c"), Options(coarsen="off")).report
    found = report.kernels[0].candidates
    assert [item.clocks for item in found] == sorted(item.clocks for item in found)
    assert [item.subarrays for item in found if item.chosen] == [("b[l:TILE][j:1]",)]
    assert {item.subarrays for item in found} >= {(), ("a[i:1][l:TILE]", "b[l:TILE][j:1]")}
    assert found[0].chosen
    what = "with b[l:TILE][j:1] in tiles, in blocks of 16 x 16 x 1, 1024 bytes shared, chosen"
    assert f"{found[0].clocks:.0f} clocks a warp ({found[0].bound}) {what}" in str(report)


@pytest.mark.parametrize(("method", "count"), [("rbi", 1), ("none", 1), ("private", 0), ("ehc", 0)])
def test_a_method_that_is_asked_for_has_its_estimate(method: str, count: int) -> None:
    candidates = translate(str(SAMPLES / "gemm.c"), Options(method=method)).report.kernels[0].candidates
    assert [item.chosen for item in candidates] == [True] * count
    tried = translate(str(SAMPLES / "gemm.c"), Options(coarsen="off")).report.kernels[0].candidates
    assert all(item.clocks == next(each.clocks for each in tried if each.form == item.form) for item in candidates)


NEAREST = """
void f(int n, int d, int k, const float *restrict p, const float *restrict c, float *restrict least)
{
#pragma acc parallel loop copyin(p[0:n*d], c[0:k*d]) copy(least[0:n])
    for (int i = 0; i < n; ++i)
        for (int q = 0; q < k; ++q) {
            float sum = 0;
#pragma acc cache(c[q*d:d])
            for (int x = 0; x < d; ++x)
                sum += (p[i*d + x] - c[q*d + x])*(p[i*d + x] - c[q*d + x]);
            if (sum < least[i])
                least[i] = sum;
        }
}
"""


def test_a_tile_of_a_length_that_only_the_run_knows_must_pay(tmp_path: Path) -> None:
    """With d = 4 the tile takes 2.4 times the clocks, with d = 48 1.6 times."""
    source = tmp_path / "nearest.c"
    source.write_text(NEAREST)
    assert methods(source) == ["none"]
    assert methods(source, tune="off") == methods(source, method="rbc") == ["rbc"]
    (decided,) = translate(str(source), Options()).report.kernels[0].subarrays
    assert re.search(r"a warp takes an estimated .* with it, .* without it", decided.reason)


DISTANCES = """
void f(const float *restrict x, const float *restrict q, float *restrict d, int n)
{
#pragma acc parallel loop copyin(x[0:n*16], q[0:16]) copyout(d[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(q[0:16])
        float s = 0;
        for (int j = 0; j < 16; ++j)
            s += (q[j] - x[i*16 + j])*(q[j] - x[i*16 + j]);
        d[i] = s;
    }
}
"""


def test_a_tile_is_held_against_a_kernel_whose_accesses_are_joined(tmp_path: Path) -> None:
    """The tile's kernel loads x one by one: counted clocks of 129 a warp, 56 without it (h100)."""
    source = tmp_path / "a.c"
    source.write_text(DISTANCES)
    assert methods(source) == ["none"]
    assert "accache_aligned" in translate(str(source), Options()).device
    assert methods(source, wide="off", coarsen="off") == ["rbi"]
