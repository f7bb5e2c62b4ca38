"""Elements that a register holds while a loop goes on: what is emitted, what forbids it, that results stay the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from families import parts
from matrix.builder import Program
from matrix.harness import Batch, Case

from accache.base.options import Options
from accache.driver import translate

FUNCTION = """
void {name}_f(int n, int m, const float *{restrict} a, float *{restrict} b, unsigned char *{restrict} c)
{{
#pragma acc parallel loop {clauses} copyin(a[0:n*m+m]) copy(b[0:n*m+1], c[0:n*m+1])
    for (int i = 0; i < n; ++i) {{
{body}
    }}
}}
"""
PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
{function}
int main(int argc, char **argv)
{{
    int n = atoi(argv[1]), m = atoi(argv[2]), seed = atoi(argv[3]);
    float *a = malloc(sizeof(float) * (n*m + m)), *b = malloc(sizeof(float) * (n*m + 1));
    unsigned char *c = malloc(n*m + 1);
    for (int i = 0; i < n*m + m; ++i)
        a[i] = (i * 7 + seed) % 11 - 4;
    for (int i = 0; i < n*m + 1; ++i)
        b[i] = i % 5, c[i] = i % 251;
    {name}_f(n, m, a, b, c);
    for (int i = 0; i < n*m + 1; ++i)
        printf("%g %d%c", b[i], c[i], i % m == m - 1 ? '\\n' : ' ');
    return 0;
}}
"""
KEPT = {
    "sum": "for (int j = 0; j < m; ++j) { b[i*m + j] = 0; for (int k = 0; k < n; ++k) b[i*m + j] += a[k*m + j]; }",
    "more": "for (int j = 0; j < m; ++j) for (int k = j; k < n; ++k) b[i*m + j] += a[k];",
    "last": "for (int j = 0; j < m; ++j) for (int k = 0; k < 3; ++k) b[i*m + j] = a[i*m + j] * k;",
    "bytes": "for (int j = 0; j < m; ++j) for (int k = 0; k < 100; ++k) c[i*m + j] = c[i*m + j] * 3 + k;",
    "counts": "for (int j = 0; j < m; ++j) for (int k = 0; k < n; k += 2) { ++c[i*m + j]; c[i*m + j]++; }",
    "two": "for (int j = 0; j < m; ++j) for (int k = 0; k < m; ++k) { b[i*m + j] += a[k]; c[i*m + j] -= a[k] > 0; }",
    "nested": "for (int j = 0; j < m; ++j) for (int k = 0; k < n; ++k) for (int l = 0; l < 4; ++l) "
    "b[i*m + j] = b[i*m + j] * 0.5f + a[k*m + l % m];",
    "tiles": "for (int j = 0; j < m; ++j) for (int l = 0; l < n; l += 4) for (int k = 0; k < 4; ++k) "
    "b[i*m + j] += a[(l + k) % n];",
    "down": "for (int j = 0; j < m; ++j) for (int k = n - 1; k >= 0; --k) b[i*m + j] = b[i*m + j] / 2 + a[k];",
    "never": "for (int k = m; k < m - 1 + i; ++k) b[i*m] += a[k % m];",
    "counter": "unsigned k = 9; for (k = i & 3u; k < (m & 3u); ++k) b[i*m] += k + 1; c[i*m] += k;",
    "least": "for (int j = 0; j < m; ++j) { b[i*m + j] = 3; for (int k = 0; k < n; ++k) "
    "if (a[k*m + j] < b[i*m + j]) b[i*m + j] = a[k*m + j]; }",
    "until": "c[i*m] = 1; for (int k = 0; k < m; ++k) { if (a[k] > 4) break; if (a[k] > 0) c[i*m] += k; }",
    "row": "float t[4][3]; for (int j = 0; j < 4; ++j) { t[j][1] = 0; for (int k = 0; k < m; ++k) t[j][1] += a[k]; } "
    "b[i*m] = t[0][1] + t[3][1];",
}
GANG = (
    "int bins[32];\n#pragma acc loop vector\nfor (int j = 0; j < 32; ++j) bins[j] = j;\n#pragma acc loop vector\n"
    "for (int j = 0; j < 32; ++j) for (int k = 0; k < m; ++k) if ((int)(a[i*m + k] + 4) % 7 == j) ++bins[j];\n"
    "#pragma acc loop vector\nfor (int j = 0; j < 1; ++j) for (int k = 0; k < 32; ++k) b[i*m] += bins[k] * k;"
)
LEFT = {
    "another": "for (int k = 1; k < m; ++k) b[i*m + 0] += b[i*m + k];",
    "moves": "for (int k = 0; k < m; ++k) b[i*m + k] += a[k];",
    "condition": "for (int k = 0; k < m; ++k) if (a[k] > 5) b[i*m] = 1;",
    "leaves": "for (int k = 0; k < m; ++k) { if (a[k] > 4) break; b[i*m] += a[k]; }",
    "indirect": "for (int k = 0; k < m; ++k) b[i*m + c[i*m] % m] += a[k];",
    "pointer": "float *p = b; p += i*m; for (int k = 0; k < m; ++k) { b[i*m] += a[k]; p[0] += 1; }",
    "atomic": "for (int k = 0; k < m; ++k) {\n#pragma acc atomic update\nb[0] += a[k];\n}",
    "in_head": "for (int k = 0; k < c[i*m]; ++k) c[i*m] = c[i*m] / 2;",
}


def text(
    body: str,
    folder: Path,
    restrict: str = "restrict",
    clauses: str = "gang vector",
    method: str = "auto",
    *,
    version: str = "",
) -> str:
    """A version of the kernel of a function, each of whose threads has one iteration."""
    path = folder / "a.c"
    path.write_text(FUNCTION.format(name="t", body=body, restrict=restrict, clauses=clauses))
    found = translate(str(path), Options(runtime=False, coarsen="off", method=method)).device
    return found[found.index(f"_kernel{version}(") :].partition("\n}")[0]


def test_a_register_holds_what_a_loop_updates(tmp_path: Path) -> None:
    found = text("for (int k = 0; k < m; ++k)\nb[i] = b[i] * a[k];", tmp_path)
    lines = [line.strip() for line in found.splitlines()]
    assert lines[lines.index("if (i < n && 0 < m) {") + 1 :] == [
        "float b_element = b[i];",
        "for (int k = 0; k < m; ++k)",
        "b_element = b_element*a[k];",
        "b[i] = b_element;",
        "}",
    ]


def test_it_begins_with_what_is_assigned_right_before(tmp_path: Path) -> None:
    found = text("b[i] = 2; for (int k = 0; k < n; ++k) b[i] += a[k];", tmp_path)
    assert "float b_element = 2;" in found
    assert "if (0 < n)" not in found  # there is an iteration, so n is greater than 0
    assert found.count("b[i]") == 1


def test_what_was_stored_right_before_may_be_stored_again(tmp_path: Path) -> None:
    found = text("b[i] = 9; for (int k = 0; k < n; ++k) if (a[k] < b[i]) b[i] = a[k];", tmp_path)
    assert "if (a[k] < b_element)" in found
    assert found.count("b[i]") == 1


def test_what_another_thread_may_have_stored_is_not_stored_again(tmp_path: Path) -> None:
    inner = (
        "\n#pragma acc loop vector\nfor (int j = 0; j < 64; ++j) for (int k = 0; k < m; ++k) if (j == k) b[i] += a[k];"
    )
    assert "_element" not in text(f"b[i] = 9;{inner}", tmp_path, clauses="gang")


def test_what_is_overwritten_first_is_not_loaded(tmp_path: Path) -> None:
    found = text("for (int k = 0; k < 3; ++k) b[i] = a[k];", tmp_path)
    assert "float b_element;" in found
    assert found.count("b[i]") == 1


@pytest.mark.parametrize("name", LEFT)
def test_some_elements_stay_in_memory(name: str, tmp_path: Path) -> None:
    assert "_element" not in text(LEFT[name], tmp_path)


def test_arrays_that_may_be_one_stay_in_memory(tmp_path: Path) -> None:
    body = "for (int k = 0; k < m; ++k) b[i] += a[k];"
    assert "b_element" in text(body, tmp_path)
    assert "b_element" in text(body, tmp_path, restrict="")
    assert "b_element" not in text(body, tmp_path, restrict="", version="_overlapping")


def test_launches_that_test_for_it_keep_elements_of_arrays_that_may_be_one(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    body = "for (int k = 0; k < m; ++k) b[i] += a[k];"
    path.write_text(FUNCTION.format(name="t", body=body, restrict="", clauses="gang vector"))
    found = translate(str(path), Options(coarsen="4")).device
    kernel, _, overlapping = found.partition("_kernel_overlapping(")
    assert "b_element[di] += a[k];" in kernel
    assert "b[i] += a[k];" in overlapping.partition("\n}")[0]
    assert "accache_disjoint(b, {a})" in found


def test_elements_kept_before_and_after_the_launch_s_test_have_names_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    body = "for (int k = 0; k < 3; ++k) b[i] += a[k]; for (int k = 0; k < 3; ++k) b[i] *= k;"
    path.write_text(FUNCTION.format(name="t", body=body, restrict="", clauses="gang vector"))
    kernel = translate(str(path), Options(coarsen="4")).device.partition("_kernel_single(")[0]
    names = re.findall(r"float (\w+)\[4\];", kernel)
    assert len(names) == len(set(names)) == 2


def test_routines_that_are_handed_memory_may_follow_addresses_in_it(tmp_path: Path) -> None:
    routine = "#pragma acc routine seq\nvoid add(float **rows) { rows[0][0] += 1; }\n"
    body = "for (int k = 0; k < m; ++k) { b[i] += a[k]; %s; }"
    path = tmp_path / "a.c"
    for call, is_kept in (("add(rows)", False), ("b[i] += m", True)):
        text = FUNCTION.format(name="t", body=body % call, restrict="restrict", clauses="gang vector present(rows)")
        path.write_text(routine + text.replace("(int n,", "(float **rows, int n,"))
        assert ("b_element" in translate(str(path), Options(coarsen="off")).device) == is_kept


def test_what_a_cache_directive_names_is_left_to_it(tmp_path: Path) -> None:
    body = "\n#pragma acc cache(b[i:1])\n{ for (int k = 0; k < m; ++k) b[i] += a[k]; }"
    assert "_element" not in text(body, tmp_path, method="rbi")


REGISTERS = ("b_element", "c_element", "t_element")
SIZES = ((1, 1), (3, 3), (2, 34), (35, 7), (130, 11))


@pytest.mark.parametrize("names", parts((*KEPT, "gang", *LEFT), 2))
@pytest.mark.parametrize("check", [pytest.param(False, marks=pytest.mark.thorough), True])
def test_results_are_those_of_memory(check: bool, names: list[str], tmp_path: Path) -> None:
    cases = []
    for name in names:
        body = {**KEPT, **LEFT, "gang": GANG}[name]
        clauses = "gang" if name == "gang" else "gang vector"
        function = FUNCTION.format(name=name, body=body, restrict="restrict", clauses=clauses)
        program = Program(name, PROGRAM.format(name=name, function=function), SIZES, (), cached=False)
        cases += [Case(program, Options(coarsen=factors)) for factors in ("auto", "off", "4")]
    batch = Batch(tmp_path, cases, distinct=True)
    kept = {member.case.program.name for member in batch.members if any(map(member.device.__contains__, REGISTERS))}
    assert kept == {*KEPT, "gang"} & {*names}  # a gang's ends with such a sum
    assert batch.differences(check=check) == []
