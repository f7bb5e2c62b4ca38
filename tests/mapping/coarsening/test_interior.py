"""Conditions that threads far from the edges meet: what is emitted, what stays, that results are the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from coarse_programs import PROGRAM, SIZES, full_path, kernel
from families import parts, some
from matrix.builder import Program
from matrix.harness import Batch, Case

from accache.base.options import Options
from accache.driver import translate

IMAGE = """
void f({type} n, {type} m, const float *restrict a, const float *restrict w, float *restrict b)
{{
#pragma acc parallel loop collapse(2) copyin(a[0:n*m], w[0:9]) copy(b[0:n*m])
    for ({type} i = 0; i < n; ++i)
        for ({type} j = 0; j < m; ++j) {{
{body}
        }}
}}
"""
INSIDE = "if (i > 0 && i < n - 1 && j > 0 && j < m - 1) b[i*m + j] = a[(i + 1)*m + j] + a[(i - 1)*m + j + 1];"
PADDED = """
    float s = 0;
    for (int r = -1; r <= 1; ++r)
        for (int c = 0; c < 3; ++c)
            if (i + r >= 0 && i + r < n && j + c >= 1 && j + c - 1 < m)
                s += w[(r + 1)*3 + c] * a[(i + r)*m + j + c - 1];
    b[i*m + j] = s;
"""
BODIES = {
    "inside": INSIDE,
    "padded": PADDED,
    "edges": "if (i == 0 || j < 1 || i == n - 1 || !(j < m - 1)) b[i*m + j] = 7; "
    "else b[i*m + j] = a[(i - 1)*m + j] + a[(i + 1)*m + j] + a[i*m + j - 1] + a[i*m + j + 1];",
    "clamped": "float c = a[i*m + j]; b[i*m + j] = (i > 0 ? a[(i - 1)*m + j] : c) + (i < n - 1 ? a[(i + 1)*m + j] : c) "
    "+ (j != 0 ? a[i*m + j - 1] : c) + (j == m - 1 ? c : a[i*m + j + 1]);",
    "kinds": "b[i*m + j] = (i > 0 ? 5 : 2.5) / 2 + (j > 1 ? 1 : 1.5f) / 2;",
    "nested": "if (m > 3) { if (i >= 2 && i + 2 < n) { float s = 0; for (int r = i - 2; r <= i + 2; ++r) "
    "s += a[r*m + j]; b[i*m + j] = s; } else b[i*m + j] = 1; }",
    "walks_down": "float s = 0; for (int r = 2; r >= 0; r -= 2) if (i - r >= 0) s += a[(i - r)*m + j]; b[i*m + j] = s;",
    "partly": "if (i > 0 && a[(i - 1)*m + j] > 0 && j < m - 2) b[i*m + j] = a[i*m + j + 2]; "
    "if (a[i*m + j] > 1 || i == 0) b[i*m + j] += 1;",
    "named": "int up = i - 1, inner = m - 1; if (up >= 0 && j < inner) b[i*m + j] = a[up*m + j + 1];",
    "triangle": "if (j > i) b[i*m + j] = a[i*m + j]; if (i + j < n) b[i*m + j] += 1;",
    "small": "if (i < 2) b[i*m + j] = 3; if (j >= 3) b[i*m + j] += a[i*m + j - 3];",
    "empty": "float s = 1; for (int r = 5; r < 5; ++r) if (i + r >= n) s = 2; b[i*m + j] = s;",
    "leaves": "float s = 0; "
    "for (int r = 0; r < 4; ++r) { if (i - r < 0) break; s += a[(i - r)*m + j]; } b[i*m + j] = s;",
    "moved": "float s = 0; for (int r = -1; r <= 1; ++r) { int y = i + r, x = j + r; if (y < 0) y = 0; "
    "if (y > n - 1) y = n - 1; x = x < 0 ? 0 : x; x = x < m ? x : m - 1; s += a[y*m + x]; } b[i*m + j] = s;",
    "moved_again": "int y = i - 1, x = j - 1; if (y < 0) { y = n; if (y > 3) y = 3; } if ((x = j - 2) < 0) x = 0; "
    "b[i*m + j] = y < n && x < m ? a[y*m + x] : 0; for (int r = 0; r < 2; ++r) { if (y < 0) y = 0; y -= 2; } "
    "b[i*m + j] += y;",
    "clipped": "float s = 0; int low = i - 1; if (low < 0) low = 0; "
    "for (int r = low; r <= (i + 1 < n ? i + 1 : n - 1); ++r) "
    "for (int c = j > 1 ? j - 2 : 0; c <= j; ++c) s += a[r*m + c]; b[i*m + j] = s;",
    "wrapped": "int up = (i + n - 1) % n, right = (j + 1) % m; b[i*m + j] = a[up*m + right] + a[(i + 2) % n*m + j] "
    "+ a[i*m + (m + j - 1) % m];",
    "wrapped_window": "float s = 0; for (int r = -1; r <= 1; ++r) s += a[(i + r + n) % n*m + (j + 2 * r + 2 * m) % m]; "
    "b[i*m + j] = s;",
    "wrapped_oddly": "b[i*m + j] = a[(i + j) % n*m + j] + a[3 * i % n*m + (j + 1) % 1] "
    "+ a[(i + 1) % (m + n) % n*m + j % 2] + a[(n - i) % n*m + (m - 1 - j) % m] + (i + 1L) % n + (n - 1 - i) % n;",
    "called": "b[i*m + j] = i > 0 && j > 0 && a[(i - 1)*m + j - 1] > 0 ? a[(i - 1)*m + j] : -1;",
}


def image(body: str, ctype: str = "int") -> str:
    """A function that goes through the elements of an image."""
    return IMAGE.format(body=body, type=ctype)


@pytest.mark.parametrize(
    ("body", "condition"),
    [
        (INSIDE, "i_base > 0 && i_base + 4 < n && j_base > 0 && j_base + 33 < m"),
        (PADDED, "i_base > 0 && i_base + 4 < n && j_base > 0 && j_base + 33 < m"),
        (BODIES["edges"], "i_base > 0 && i_base + 4 < n && j_base > 0 && j_base + 33 < m"),
        (BODIES["clamped"], "i_base > 0 && i_base + 4 < n && j_base > 0 && j_base + 33 < m"),
        (BODIES["nested"], "j_base + 32 < m && i_base > 1 && i_base + 5 < n"),
        (BODIES["small"], "i_base + 3 < n && j_base + 32 < m && i_base > 1 && j_base > 2"),
        (BODIES["walks_down"], "i_base + 3 < n && j_base + 32 < m && i_base > 1"),
        (BODIES["moved"], "i_base > 0 && i_base + 4 < n && j_base > 0 && j_base + 33 < m"),
        (BODIES["clipped"], "j_base + 32 < m && i_base > 0 && i_base + 4 < n && j_base > 1"),
        (BODIES["wrapped"], "i_base > 0 && i_base + 5 < n && j_base > 0 && j_base + 33 < m"),
        (BODIES["named"], "i_base + 3 < n && i_base > 0 && j_base + 33 < m"),
    ],
)
def test_threads_test_once_that_they_are_far_from_the_edges(body: str, condition: str, tmp_path: Path) -> None:
    found = kernel(tmp_path, image(body), "4x2")
    assert f"if ({condition}) {{" in found
    full = full_path(found.partition(f"if ({condition}) {{")[2])
    assert "> 0" not in full
    assert "? " not in full
    assert "%" not in full
    assert "else" in found.partition(full)[2]


def test_loops_below_conditions_are_jammed(tmp_path: Path) -> None:
    full = full_path(kernel(tmp_path, image(BODIES["nested"]), "4x2"))
    assert full.index("if (m > 3)") < full.index("for (int t") < full.rindex("di < 4")


def test_windows_that_edges_clip_are_jammed(tmp_path: Path) -> None:
    found = kernel(tmp_path, image(BODIES["clipped"]), "4x2")
    full = full_path(found.partition("j_base > 1) {")[2])
    assert full.index("for (int t = 0; t < 3; ") < full.index("for (int t2 = 0; t2 < 3; ") < full.index("s[di][dj] += ")


def test_what_moves_a_variable_elsewhere_stays(tmp_path: Path) -> None:
    full = full_path(kernel(tmp_path, image(BODIES["moved_again"]), "4x2"))
    assert "x = 0;" in full  # another value is tested than the declared one
    assert "if (y" in full  # the loop moves it


def test_what_is_left_of_a_condition_stays(tmp_path: Path) -> None:
    full = full_path(kernel(tmp_path, image(BODIES["partly"]), "4x2"))
    assert "if (a[(i - 1)*m + j] > 0)" in full
    assert "if (a[i*m + j] > 1)" in full


@pytest.mark.parametrize(
    "condition",
    [
        "j > i",  # neither is at an edge
        "i < m",  # of nothing that is known of the loop
        "i % 2 == 0",
        "i == m",
        "a[i*m + j] > 0",
        "(unsigned)i - 1 < n",
        "i * j > 3",
        "i < n / 2",
    ],
)
def test_other_conditions_stay(condition: str, tmp_path: Path) -> None:
    found = kernel(tmp_path, image(f"if ({condition}) b[i*m + j] = a[i*m + j];"), "4x2")
    assert "if (i_base + 3 < n && j_base + 32 < m) {" in found


def test_sums_that_may_leave_int_are_computed_in_64_bits(tmp_path: Path) -> None:
    found = kernel(tmp_path, image("if (i < n - 40000) b[i*m + j] = a[i*m + j];"), "4x2")
    assert "if (j_base + 32 < m && (long long)i_base + 40003 < n)" in found


def test_what_all_iterations_meet_is_not_tested(tmp_path: Path) -> None:
    found = kernel(tmp_path, image("if (i >= 0 && i < n && j - 40000 < m) b[i*m + j] = a[i*m + j];"), "4x2")
    assert "if (i_base + 3 < n && j_base + 32 < m) {" in found
    assert "if (i >= 0" not in full_path(found)


def test_long_indices_are_compared_as_they_are(tmp_path: Path) -> None:
    found = kernel(tmp_path, image(INSIDE, "long"), "4x2")
    assert "i_base > 0 && i_base + 4 < n && j_base > 0 && j_base + 33 < m" in found


def test_it_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(image(PADDED))
    report = translate(str(path), Options()).report
    assert report.kernels[0].edges == ("i",)  # iterations of j have a thread each
    assert " a thread; those at the edges of i one by one; in launches of fewer than " in str(report)


def sectors(path: Path, test: str) -> float:
    """What a thread with eight rows is estimated to load for each of them, a sum over five neighbours."""
    sums = "float s = 0; for (int r = 0; r < 5; ++r) {test} s += a[(i + r)*m + j]; b[i*m + j] = s;"
    path.write_text(image(sums.format(test=test)))
    candidates = translate(str(path), Options()).report.kernels[0].candidates
    return next(item.sectors for item in candidates if item.iterations == (8, 1))


def test_an_estimate_shares_nothing_that_iterations_load_under_conditions(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    plain = sectors(path, "")
    assert sectors(path, "if (i + r < n)") < 1.2 * plain
    assert sectors(path, "if (w[r] > i)") > 1.5 * plain


@pytest.mark.parametrize("names", parts(BODIES, 2))
@pytest.mark.parametrize("check", [pytest.param(False, marks=pytest.mark.thorough), True])
@pytest.mark.parametrize("factors", some(["4x2", "2", "2x4", "8"], 4))
def test_results_stay_the_same_at_all_edges(factors: str, check: bool, names: list[str], tmp_path: Path) -> None:
    cases = []
    sizes = ((1, 1), (2, 3), (4, 33), *SIZES, (9, 66))
    for name in names:
        function = image(BODIES[name]).replace("void f(", f"void {name}_f(")
        program = Program(name, PROGRAM.format(name=name, function=function), sizes, (), cached=False)
        cases.append(Case(program, Options(coarsen=factors)))
    batch = Batch(tmp_path, cases)
    assert all("_base" in member.device for member in batch.members)
    assert batch.differences(check=check) == []
