"""Extents, halos, gaps and pictures against the elements that the threads of a block ask for, one by one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from accache.base.options import Options
from accache.base.text import SourceFile
from accache.driver import translate
from accache.report.charts import thread_maps
from accache.report.text import Report

Explain = Callable[..., Report]
THREADS = 64


@pytest.mark.parametrize(("rate", "step"), tuple(product((-2, -1, 1, 2, 3), (-2, -1, 1, 2, 7))))
def test_one_dimension(rate: int, step: int, explain: Explain) -> None:
    length, offset = 3, 500 if rate < 0 else 4
    loop = f"int i = 0; i < 200; i += {step}" if step > 0 else f"int i = 199; i >= 0; i -= {-step}"
    report = explain(
        f"""
void f(float *a, float *b)
{{
#pragma acc parallel loop independent vector_length({THREADS}) copyin(a[0:2000]) copyout(b[0:200])
    for ({loop}) {{
#pragma acc cache(a[{rate}*i+{offset}:{length}])
        for (int j = 0; j < {length}; ++j)
            b[i] = a[{rate}*i + {offset} + j];
    }}
}}
""",
        method="rbi",
    )
    item = report.kernels[0].subarrays[0]
    part = item.dimensions[0]
    assert (item.method, item.scope) == ("rbi", "block")
    assert (part.rate, part.offset, part.step, part.loop) == (rate, str(offset), step, "i")

    first = 0 if step > 0 else 199
    lowers = [rate * (first + step * t) + offset for t in range(2 * THREADS)]
    asked = [set(range(lower, lower + length)) for lower in lowers]
    block, following = (set().union(*asked[start : start + THREADS]) for start in (0, THREADS))
    held = [set(range(min(part), max(part) + 1)) for part in (block, following)]
    assert part.extent == len(held[0])
    assert part.halo == len(held[0] & held[1])
    assert part.gap == max(0, abs(lowers[1] - lowers[0]) - length)
    for t, text in enumerate(part.ranges):
        assert text == f"T{t} -> {min(asked[t])} to {max(asked[t])}"
    few = set().union(*asked[:3])
    assert part.shared_range == (
        f"T0 to T2 share {min(few)} to {max(few)}; T0 to T{THREADS - 1} share {min(block)} to {max(block)}"
    )
    for t, row in enumerate(part.strip[:-1]):
        low = min(set().union(*asked[: len(part.strip) - 1]))
        assert {low + k for k, cell in enumerate(row[3:]) if cell == "#"} == asked[t]


def test_table_1_of_the_paper(explain: Explain) -> None:
    """Its last row, corrected: three threads share 4 to 14."""
    report = explain("""
void f(float *a, float *b, int n)
{
#pragma acc parallel loop independent vector_length(3) copyin(a[0:3*n+9]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[3*i+4:5])
        for (int j = 0; j < 5; ++j)
            b[i] = a[3*i + 4 + j];
    }
}
""")
    line = next(line for line in str(report).splitlines() if "covers" in line)
    assert " ".join(line.split()) == "covers T0 -> 4 to 8, T1 -> 7 to 11, T2 -> 10 to 14 T0 to T2 share 4 to 14"


@pytest.mark.parametrize(
    ("subarray", "body", "reason"),
    [
        ("a[i:1][i:3]", "a[i*n+i] + a[i*n+i+2]", "two dimensions follow the same loop over i"),
        ("a[i+j:3]", "a[i+j] + a[i+j+2]", "the lower bound depends on 2 parallel loops at once"),
        ("a[i*i:3]", "a[i*i] + a[i*i+2]", "the lower bound is not linear in i with a constant rate"),
        ("a[n*i:3]", "a[n*i] + a[n*i+2]", "the lower bound is not linear in i with a constant rate"),
    ],
)
def test_what_cannot_be_shared_says_why(subarray: str, body: str, reason: str, explain: Explain) -> None:
    text = f"""
void f(const float *restrict a, float *restrict c, int n)
{{
#pragma acc parallel loop copyin(a[0:n*n+3]) copyout(c[0:n*n])
    for (int i = 0; i < n; ++i) {{
#pragma acc loop
        for (int j = 0; j < n; ++j) {{
#pragma acc cache({subarray})
            c[i*n + j] = {body};
        }}
    }}
}}
"""
    (alone,) = explain(text, method="rbc").kernels[0].subarrays
    assert (alone.scope, alone.obstacle) == ("thread", reason)
    (left,) = explain(text).kernels[0].subarrays
    assert (left.method, reason in left.reason) == ("none", True)


COARSE = """
void f(int n, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop collapse(2) copyin(a[0:n*n]) copyout(b[0:n*n])
    for (int i = 1; i < n - 1; ++i)
        for (int j = %s) {
#pragma acc cache(a[i-1:3][j-1:3])
            b[i*n+j] = a[(i-1)*n+j] + a[i*n+j-1] + a[i*n+j+1] + a[(i+1)*n+j+1];
        }
}
"""
PRODUCT = """
void f(int n, const float *restrict a, const float *restrict b, float *restrict c)
{
#pragma acc parallel loop collapse(2) copyin(a[0:n*n], b[0:n*n]) copyout(c[0:n*n])
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int l = 0; l < n; l += 16)
#pragma acc cache(a[i:1][l:16], b[l:16][j:1])
                for (int k = l; k < l + 16 && k < n; ++k)
                    sum += a[i*n+k] * b[k*n+j];
            c[i*n+j] = sum;
        }
}
"""


@pytest.mark.parametrize(
    ("text", "wide", "tile", "emitted", "begin"),
    [
        (PRODUCT, "auto", "b_tile", "[t][4*threadIdx.x + dj]", "4*t + k"),
        (PRODUCT, "off", "b_tile", "[t][threadIdx.x + 32*dj]", "t + 32*k"),
        (PRODUCT, "auto", "a_tile", "[2*threadIdx.y + di][t]", "2*t + k"),
        (COARSE % "1; j < n - 1; ++j", "off", "a_tile", "[threadIdx.x + 32*dj]", "t + 32*k"),
        (COARSE % "n - 2; j > 0; --j", "off", "a_tile", "j = j_base - 32*dj", "127 - t - 32*k"),
    ],
    ids=range(5),
)
def test_iterations_of_a_thread(text: str, wide: str, tile: str, emitted: str, begin: str) -> None:
    made = translate(SourceFile("f.c", text), Options(method="rbi", coarsen="2x4", wide=wide))
    (item,) = (item for item in made.report.kernels[0].subarrays if item.tile == tile)
    own, count = ("i", 2) if tile + begin == "a_tile2*t + k" else ("j", 4)
    (found,) = (part for part in item.dimensions if part.loop == own)
    assert emitted in made.device
    assert found.iterations == count
    asked = [
        {eval(begin, {"t": t, "k": k}) + e for k in range(count) for e in range(found.length)}
        for t in range(found.full_width)
    ]
    assert set().union(*asked) == set(range(found.extent))

    (view,) = (view for view in thread_maps(item) if view.loop == own)
    assert (view.threads, view.extent, view.halo) == (found.full_width, found.extent, found.length - 1)
    for t, row in enumerate(view.rows):
        assert {start + e for start in row.starts for e in range(view.length)} == asked[t]
        assert row.starts == tuple(view.origin + t * view.stride + part * view.apart for part in range(view.parts))
    assert view.shared == len(asked[0] & asked[1])
    if view.parts == 1:
        assert [told.partition("-> ")[2] for told in found.ranges] == [f"{min(e)} to {max(e)}" for e in asked[:3]]
    else:
        assert found.ranges[0].count(" and ") == view.parts - 1 == count - 1
