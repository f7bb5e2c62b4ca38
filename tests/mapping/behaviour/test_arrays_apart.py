"""Loops that are independent only if arrays do not overlap: the launch finds out, and one thread runs them then."""

from __future__ import annotations

from pathlib import Path

import pytest
from families import parts
from matrix.builder import Program
from matrix.harness import Batch, Case

from accache import explain
from accache.base.options import Options
from accache.driver import translate

FUNCTION = """
int {name}_f(int n, int m, {type} *a, {type} *b, {type} *c)
{{
    int found = 2, count = 5;
#pragma acc {construct} present(a[0:n*m+2], b[0:n*m+2], c[0:n*m+2])
{body}
    return found * 1000 + count;
}}
"""
PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
{function}
int main(int argc, char **argv)
{{
    int n = atoi(argv[1]) % 1000, m = atoi(argv[2]), apart = atoi(argv[1]) / 1000, size = n*m + 2, result;
    int seed = atoi(argv[3]), all = 3 * size;
    {type} *pool = malloc(sizeof *pool * all), *others = malloc(sizeof *pool * all);
    for (int i = 0; i < all; ++i)
        pool[i] = (i * 7 + seed) % 11 - 4, others[i] = i % 5;
#pragma acc data copy(pool[0:all], others[0:all])
    switch (apart) {{
    case 0: result = {name}_f(n, m, pool, others, pool); break;
    case 1: result = {name}_f(n, m, pool, pool + 1, others); break;
    case 2: result = {name}_f(n, m, others, pool, pool + size); break;
    case 3: result = {name}_f(n, m, pool, pool, pool); break;
    default: result = {name}_f(n, m, pool + m, pool, pool + 2*m);
    }}
    for (int i = 0; i < all; ++i)
        printf("%g %g%c", (double)pool[i], (double)others[i], i % m == m - 1 ? '\\n' : ' ');
    printf("%d\\n", result);
    return 0;
}}
"""
BODIES = {
    "moves": "for (int i = 0; i < n*m; ++i) b[i + 1] = a[i] + c[i + 2];",
    "rows": "for (int i = 0; i < n; ++i)\nfor (int j = 0; j < m; ++j)\nb[i*m + j + 1] = a[i*m + j] * 0.5f - c[i*m];",
    "down": "for (int i = n*m - 1; i >= 0; i -= 2) b[i] = a[i + 1] + 1;",
    "both": "{\nfor (int i = 0; i < n*m; ++i) b[i] = a[i] + 1;\nfor (int i = 0; i < n*m; ++i) c[i + 1] += b[i];\n}",
    "sized": "{\n#pragma acc loop gang vector(64)\nfor (int i = 0; i < n*m; ++i) b[i + 1] = a[i] - 1;\n}",
    "levels": "{\n#pragma acc loop gang(3)\nfor (int i = 0; i < n; ++i)\n#pragma acc loop worker(2) vector(32)\n"
    "for (int j = 0; j < m; ++j)\nb[i*m + j + 2] = a[i*m + j] + 1;\n}",
    "tiles": "{\n#pragma acc loop tile(2, 4)\nfor (int i = 0; i < n; ++i)\nfor (int j = 0; j < m; ++j)\n"
    "b[i*m + j + 1] = a[i*m + j] + 1;\n}",
    "cached": "{\nfor (int i = 1; i < n*m; ++i) {\n#pragma acc cache(a[i-1:3])\n"
    "b[i] = a[i - 1] + a[i] + a[i + 1];\n}\n}",
    "pointer": "for (int i = 0; i < n*m; ++i) { PLACE *p = b + i; p[1] = a[i] + 1; }",
    "walks": "for (int j = 0; j < m; ++j) { b[j] = 0; for (int i = 0; i < n; ++i) b[j] += a[i*m + j]; }",
    "later": "for (int i = 0; i < m; ++i)\nfor (int j = 0; j < n; ++j)\nb[j*m + i] = a[j*m + i + 1] + 1;",
}
REDUCTIONS = {
    "greatest": "{\n#pragma acc loop reduction(max:found)\nfor (int i = 0; i < n*m; ++i) {\n"
    "b[i + 1] = a[i] + i % 3;\nfound = b[i + 1] > found ? b[i + 1] : found;\n}\n}",
    "counts": "{\n#pragma acc loop gang vector(32) reduction(+:count) reduction(min:found)\n"
    "for (int i = 0; i < n*m; ++i) {\n"
    "b[i + 1] = a[i] + 1;\ncount += b[i + 1] > 2;\nif (b[i + 1] < found)\nfound = b[i + 1];\n}\n}",
    "nested": "{\n#pragma acc loop gang reduction(+:count)\nfor (int i = 0; i < n; ++i)\n"
    "#pragma acc loop vector reduction(+:count)\nfor (int j = 0; j < m; ++j) {\nb[i*m + j + 1] = a[i*m + j] + 1;\n"
    "count += b[i*m + j + 1];\n}\n}",
    "of_tiles": "{\n#pragma acc loop tile(4, 8) reduction(+:count)\n"
    "for (int i = 0; i < n; ++i)\nfor (int j = 0; j < m; ++j) {\n"
    "b[i*m + j + 1] = a[i*m + j] + 1;\ncount += b[i*m + j + 1];\n}\n}",
    "of_rows": "{\n#pragma acc loop gang\nfor (int i = 0; i < n; ++i) {\nint sum = 0;\n"
    "#pragma acc loop vector reduction(+:sum)\n"
    "for (int j = 0; j < m; ++j)\nsum += a[i*m + j];\nb[i + 1] = sum;\n}\n}",
}
PARALLEL = {  # iterations of the outer loop are independent, whether arrays overlap or not
    "each_row": "for (int i = 0; i < n; ++i)\nfor (int j = 0; j < m - 1; ++j)\nb[i*m + j] = a[i*m + j] * 2 - c[i*m];",
    "in_turn": "for (int i = 0; i < n; ++i)\n#pragma acc loop seq\n"
    "for (int j = 0; j < m - 1; ++j)\nb[i*m + j] += c[i*m] + a[i*m + j];",
    "in_rows": "for (int i = 0; i < n; ++i) {\nfor (int j = 0; j < m - 1; ++j) b[i*m + j] = a[i*m + j] - 1;\n"
    "for (int j = 0; j < m - 1; ++j) c[i*m + j] += 3;\n}",
    "copied": "for (int i = 0; i < n; ++i) {\nint own[16384];\n"
    "for (int j = 0; j < m - 1; ++j) own[j] = a[i*m + j] + j;\n"
    "for (int j = 0; j < m - 1; ++j) b[i*m + j] = own[m - 2 - j] + c[i*m];\n}",
    "cached": "for (int i = 0; i < n; ++i) {\n#pragma acc cache(c[i*m:1])\n"
    "for (int j = 0; j < m - 1; ++j)\nb[i*m + j] = c[i*m] * 2 + a[i*m + j];\n}",
}
SIZES = tuple((n + 1000 * apart, m) for apart in range(5) for n, m in ((0, 4), (3, 2), (2, 130)))


NOT_MOVED = tuple(size for size in SIZES if size[0] < 4000)


def source(name: str, body: str, construct: str = "kernels", element: str = "float") -> str:
    """The function whose body is tried."""
    text = FUNCTION.format(name=name, body=body, construct=construct, type=element)
    return text.replace("PLACE", element)


def text(body: str, folder: Path, construct: str = "kernels") -> str:
    """What is emitted for a body."""
    path = folder / "a.c"
    path.write_text(source("t", body, construct))
    found = translate(str(path), Options(runtime=False))
    assert not [item for item in found.diagnostics if item.code == "ACC307"]
    return found.device


def test_the_launch_chooses_between_all_threads_and_one(tmp_path: Path) -> None:
    found = text(BODIES["moves"], tmp_path)
    kernel, _, alone = found.partition("_kernel_sequential(")
    assert "__restrict__ b" in kernel
    assert "256*blockIdx.x + threadIdx.x" in kernel
    assert "for (int i = 0; i < n*m; ++i)" in alone
    assert "__restrict__" not in alone.partition("{")[0]
    assert "if (accache_disjoint(b, {a, c})) {" in alone
    assert "_kernel_sequential<<<1, 1>>>" in alone


def test_one_thread_has_its_results_where_many_have(tmp_path: Path) -> None:
    found = text(REDUCTIONS["counts"], tmp_path)
    alone = found.partition("_kernel_sequential(")[2]
    assert "i += gridDim.x" in alone
    chosen, _, other = alone.partition("if (accache_disjoint(b, {a})) {")[2].partition("} else {")
    assert "accache_total<accache_plus<int>>" in chosen
    assert "accache_total" not in other.partition("accache_wait")[0]


def test_it_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(source("t", BODIES["moves"]))
    found = explain(path).kernels[0]
    assert found.otherwise == "sequential"
    assert set(found.overlap_checks) == {("b", "a"), ("b", "c")}


def test_a_loop_stays_sequential_if_one_thread_would_not_reduce_what_many_do(tmp_path: Path) -> None:
    path = tmp_path / "a.c"  # one thread takes no unsigned sum for exact, and finds no loop that it may reduce
    path.write_text(
        source("t", "for (unsigned i = 0; i < n; ++i) { found ^= a[i & 3]; b[4*i + 1] = 33; }", element="int")
    )
    found = translate(str(path), Options(runtime=False))
    assert "ACC307" in {item.code for item in found.diagnostics}
    assert "_kernel_sequential(" not in found.device


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 1; i < n; ++i) b[i] = b[i - 1] + a[i];",
        "for (int i = 0; i < n; ++i) { float *p = a[i] > 0 ? a : b; p[i + 1] = c[i]; }",
        "for (int i = 0; i < n; ++i) ((float **)(void *)a)[0][i] = b[i];",
    ],
)
def test_what_depends_on_itself_stays_sequential(body: str, tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(source("t", body))
    found = translate(str(path), Options(runtime=False))
    assert "ACC307" in {item.code for item in found.diagnostics}
    assert "(accache_disjoint(" not in found.device


def test_loops_that_gangs_do_not_share_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    body = "{\ncount += 1;\n#pragma acc loop auto\nfor (int i = 0; i < n; ++i) b[i + 1] = a[i];\n}"
    path.write_text(source("t", body, "parallel num_gangs(4)"))
    assert "_kernel_sequential" not in translate(str(path), Options(runtime=False)).device


@pytest.mark.parametrize("names", parts((*BODIES, *REDUCTIONS), 2))
def test_results_are_those_of_the_program(names: list[str], tmp_path: Path) -> None:
    cases = []
    for name in names:
        body = {**BODIES, **REDUCTIONS}[name]
        kinds = [("kernels", "float", name), ("parallel loop auto", "int", f"{name}_auto")]
        for construct, element, unique in kinds[: 2 if name in ("moves", "rows") else 1]:
            function = source(unique, body, construct, element)
            whole = PROGRAM.format(name=unique, function=function, type=element)
            cases.append(Case(Program(unique, whole, SIZES, (), cached="cache" in body), Options()))
    batch = Batch(tmp_path, cases)
    assert [item.case.program.name for item in batch.members if "_kernel_sequential" not in item.device] == []
    assert batch.differences(check=True) == []


def test_a_parallel_loop_is_mapped_for_arrays_that_are_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(source("t", PARALLEL["each_row"], "parallel loop"))
    kernel, _, other = translate(str(path), Options(runtime=False)).device.partition("_kernel_overlapping(")
    assert "const int j = 32*blockIdx.x + threadIdx.x" in kernel
    assert "__restrict__ b" in kernel
    assert "for (int j = 0; j < m - 1; ++j)" in other
    assert "__restrict__" not in other.partition("{")[0]
    assert explain(path).kernels[0].otherwise == "overlapping"


@pytest.mark.parametrize(
    ("body", "gains"),
    [
        ("b[i] = a[i] + c[i];", False),
        ("b[i] = 1;\nb[i + 1] = a[i];", False),
        ("b[i] = b[i] * 2;\nc[i] = 3;", False),
        ("#pragma acc loop seq\nfor (int j = 0; j < 9; ++j) b[i] += a[j];", True),  # a register keeps the sum
        ("#pragma acc loop seq\nfor (int j = 0; j < 9; ++j) b[i + j*n] += a[j];", True),
    ],
)
def test_restrict_is_asked_for_where_loads_of_loops_follow_stores(body: str, gains: bool, tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(source("t", f"for (int i = 0; i < n; ++i) {{\n{body}\n}}", "parallel loop gang vector(128)"))
    assert ("_kernel_overlapping(" in translate(str(path), Options(runtime=False)).device) == gains


@pytest.mark.parametrize("names", parts(PARALLEL, 2))
def test_results_of_parallel_loops_are_those_of_the_program(names: list[str], tmp_path: Path) -> None:
    cases = []
    for name in names:
        whole = PROGRAM.format(name=name, function=source(name, PARALLEL[name], "parallel loop", "int"), type="int")
        cases.append(Case(Program(name, whole, NOT_MOVED, (), cached="cache" in PARALLEL[name]), Options()))
    batch = Batch(tmp_path, cases)
    assert [item.case.program.name for item in batch.members if "_kernel_overlapping" not in item.device] == []
    assert batch.differences(check=True) == []


@pytest.mark.parametrize("construct", ["kernels", "parallel loop"])
def test_threads_have_several_iterations_where_arrays_are_apart(construct: str, tmp_path: Path) -> None:
    cases = []
    bodies, sizes, names = BODIES, SIZES, ("moves", "rows", "cached")
    if construct != "kernels":
        bodies, sizes, names = PARALLEL, NOT_MOVED, ("each_row", "in_turn", "cached")
    for name in names:
        unique = f"{name}_{construct[:4]}"
        whole = PROGRAM.format(name=unique, function=source(unique, bodies[name], construct, "int"), type="int")
        cases.append(Case(Program(unique, whole, sizes, (), cached=name == "cached"), Options(coarsen="2")))
    batch = Batch(tmp_path, cases)
    careful = "_kernel_sequential(" if construct == "kernels" else "_kernel_overlapping("
    for member in batch.members:
        first, _, other = member.device.partition(careful)
        assert "int di = 0; di < 2; ++di" in first or "int dj = 0; dj < 2; ++dj" in first
        assert "< 2; ++d" not in other
    assert batch.differences(check=True) == []


def test_a_launch_compares_addresses_once(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    body = (
        "for (int i = 1; i < n - 1; ++i)\nfor (int j = 1; j < m - 1; ++j) {\nfloat s = 0;\n"
        "for (int r = -1; r <= 1; ++r)\nfor (int q = -1; q <= 1; ++q) s += a[(i + r)*m + j + q];\nb[i*m + j] = s;\n}"
    )
    path.write_text(source("t", body, "kernels"))
    found = translate(str(path), Options(runtime=False)).device
    assert found.count("const bool are_apart = accache_disjoint(") == 1
    assert "if (accache_disjoint(" not in found
    assert found.count("are_apart") > 2
