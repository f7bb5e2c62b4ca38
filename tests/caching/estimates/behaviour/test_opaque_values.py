"""Values that are no polynomials, such as quotients: iterations of a thread share what they lead to if it is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate
from accache.report.records import CandidateReport

KERNEL = """
void f(int n, int m, const int *restrict o, const float *restrict x, float *restrict y)
{{
#pragma acc parallel loop collapse(2) copyin(x[0:n*m], o[0:n]) copyout(y[0:n*m])
    for (int t = 0; t < n; ++t)
        for (int j = 0; j < m; ++j) {{
            {value}
            float s = 0;
            for (int q = 0; q < 8; ++q)
                s += x[{index}];
            y[t*m + j] = s;
        }}
}}
"""


def forms(folder: Path, value: str, index: str) -> tuple[CandidateReport, CandidateReport]:
    """The form with one iteration a thread, and that with two neighbours along the outer loop."""
    path = folder / "a.c"
    path.write_text(KERNEL.format(value=value, index=index))
    (kernel,) = translate(str(path), Options(runtime=False, wide="off")).report.kernels
    found = {item.name: item for item in kernel.candidates}
    return found["plain"], found["2x1"]


@pytest.mark.parametrize("value", ["int b = m / 3 + q0;", "int b = o[7];"])
def test_what_is_the_same_for_two_rows_is_loaded_once(value: str, tmp_path: Path) -> None:
    plain, two = forms(tmp_path, value.replace("q0", "(m % 5)"), "(b + q)*m + j")
    assert two.sectors == pytest.approx(plain.sectors / 2 + 2, abs=4)


@pytest.mark.parametrize("value", ["int b = t / 4;", "int c = t / 4, b = 2*c;", "int b = o[t];"])
def test_what_differs_between_rows_is_loaded_for_each(value: str, tmp_path: Path) -> None:
    plain, two = forms(tmp_path, value, "(b + q)*m + j")
    assert two.sectors >= plain.sectors


@pytest.mark.parametrize("value", ["int b = j / 32;", "int b = o[j];"])
def test_what_differs_between_lanes_is_spread_over_memory(value: str, tmp_path: Path) -> None:
    plain, _ = forms(tmp_path, value, "(b + q)*m")
    assert plain.sectors >= 8


ROWS = """
void f(int n, int m, const int *restrict o, float *u)
{{
#pragma acc parallel loop gang copyin(o[0:n]) copy(u[0:n*m])
    for (int i = 1; i < n - 1; ++i) {{
#pragma acc loop vector
        for (int j = {first}; j < m - 1; j += 2) {{
#pragma acc cache(u[i*m+j-1:3])
            u[i*m + j] += 0.25f*(u[(i - 1)*m + j] + u[(i + 1)*m + j] + u[i*m + j - 1] + u[i*m + j + 1]);
        }}
    }}
}}
"""


@pytest.mark.parametrize("first", ["1 + i % 2", "o[i]", "1 + (i + n) % 2"])
def test_lanes_are_neighbours_wherever_their_loop_begins(first: str, tmp_path: Path) -> None:
    estimates = []
    for text in (first, "1"):
        (tmp_path / "a.c").write_text(ROWS.format(first=text))
        (kernel,) = translate(str(tmp_path / "a.c"), Options(runtime=False)).report.kernels
        estimates.append(next(item.sectors for item in kernel.candidates if item.name == "plain"))
    assert estimates[0] == pytest.approx(estimates[1], rel=0.1)
