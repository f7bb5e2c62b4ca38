"""Copies of counted arrays for blocks: which arrays get them, and that results are the program's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from families import parts
from matrix.builder import Program
from matrix.harness import Batch, Case

from accache.base.options import Options
from accache.driver import translate

HEAD = """
void {name}_f(const int *restrict x, int *restrict a, unsigned *restrict b, long long *restrict c, float *restrict f,
              int *loose, const int *other, int n, int m)
{{
    int whole[50];
    for (int k = 0; k < 50; ++k) whole[k] = k;
{body}
    for (int k = 0; k < 50; ++k) a[k] += whole[k];
}}
"""
PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
{function}
int main(int argc, char **argv)
{{
    int n = atoi(argv[1]), m = atoi(argv[2]), seed = atoi(argv[3]);
    int *x = malloc(sizeof(int) * (n * m + 1)), a[100] = {{3, 2, 1}}, loose[100] = {{1}};
    unsigned b[100] = {{7}};
    long long c[100] = {{9}};
    float f[100] = {{0}};
    for (int i = 0; i < n * m; ++i) x[i] = (int)((i * 7919u + seed * 31u) % 97);
    {name}_f(x, a, b, c, f, loose, x, n, m);
    for (int i = 0; i < 100; ++i) printf("%d %u %lld %g %d ", a[i], b[i], c[i], f[i], loose[i]);
    printf("\\n");
    return 0;
}}
"""
LOOP = "#pragma acc parallel loop copyin(x[0:n*m]) {clauses}\nfor (int i = 0; i < n; ++i) {{ {body} }}"
ATOMIC = "\n#pragma acc atomic\n"


def loop(clauses: str, *updates: str) -> str:
    """A parallel loop of atomic updates."""
    return LOOP.format(clauses=clauses, body="".join(ATOMIC + update for update in updates))


COPIED = {
    "plain": (loop("copy(a[0:100])", "a[x[i]]++;"), "a:100"),
    "beyond": ("#pragma acc data copy(a[0:100])\n{\n" + loop("copy(a[0:30])", "a[x[i]] -= 2;") + "}", "a:30"),
    "around": ("#pragma acc data copy(a[0:100])\n{\n" + loop("present(a)", "a[x[i]] += x[i];") + "}", "a:100"),
    "whole": (loop("copy(whole)", "whole[x[i] % 50] += i;"), "whole:50"),
    "bits": (loop("copy(a[0:100], b[0:100])", "a[x[i]] |= i;", "b[x[i] / 2] ^= i;"), "a:100 b:100"),
    "wide": (loop("copy(c[0:100])", "c[(x[i] & 63) + 1] -= (long long)i << 20;"), "c:100"),
    "directive": (loop("copy(a[0:100])", "a[x[i]] += 1;").replace("{ \n", "{\n#pragma acc cache(a[0:100])\n"), "a:100"),
    "skipped": (LOOP.format(clauses="copy(a[0:100])", body=f"if (x[i] > 50) continue;{ATOMIC}a[x[i]]++;"), "a:100"),
    "reduced": (LOOP.format(clauses="reduction(+:a[0:97])", body="a[x[i]] += i; a[0]++;"), "a:97"),
    "value": (
        loop("copy(a[0:100], c[0:100])", "a[i % 100]++;", "c[0] += a[i % 100];").replace("i < n", "i < 100"),
        "c:100",
    ),
    "collapsed": (
        loop("copy(b[0:100]) collapse(2)", "b[x[i * m + j]] += j;").replace("++i)", "++i) for (int j = 0; j < m; ++j)"),
        "b:100",
    ),
    "nested": (
        loop("copy(b[0:100])", "b[x[i * m + j]] += j;").replace(
            "++i)", "++i)\n#pragma acc loop vector\nfor (int j = 2; j < m; ++j)"
        ),
        "b:100",
    ),
    "sequential": (
        LOOP.format(clauses="copy(a[0:100])", body=f"for (int j = 0; j < m; ++j) {{{ATOMIC}a[x[i * m + j]] += j; }}"),
        "a:100",
    ),
}
LEFT = {
    "float": loop("copy(f[0:100])", "f[x[i]] += 1;"),
    "length": loop("copy(a[0:n])", "a[i]++;"),
    "another name": LOOP.format(
        clauses="copy(a[0:100])",
        body=f"{ATOMIC}a[i % 100]++;\n#pragma acc atomic capture\nm = (*(a + i % 100))++;",
    ),
    "pointer": loop("copy(a[0:100])", "a[i % 100]++;", "*(i > 3 ? a : a + 5) += 1;"),
    "large": loop("copy(a[0:10000])", "a[x[i]]++;"),
    "classes": loop("copy(a[0:100])", "a[x[i]]++;", "a[x[i]] ^= 3;"),
    "read": LOOP.format(clauses="copy(a[0:100], f[0:100])", body=f"{ATOMIC}a[x[i]]++;\nf[i % 100] = a[i % 7];"),
    "captured": LOOP.format(clauses="copy(a[0:100])", body="int v;\n#pragma acc atomic capture\nv = a[x[i]]++;"),
    "index": loop("copy(a[0:100])", "a[a[i] & 63]++;"),
    "few": LOOP.format(clauses="reduction(+:a[0:8])", body="a[x[i] & 7] += i;"),
    "each": LOOP.format(clauses="reduction(+:a[0:97])", body="for (int k = 0; k < 97; ++k) a[k] += i * k;"),
    "product": loop("copy(a[0:100])", "a[x[i]] *= 3;"),
    "gangs": loop("copy(a[0:100]) num_gangs(4)", "a[x[i]]++;"),
    "steps": loop("copy(a[0:100])", "a[x[i]]++;").replace("++i", "i += 2"),
    "auto": loop("copy(a[0:100])", "a[x[i]]++;").replace("parallel loop", "kernels loop"),
}


def copied(body: str, folder: Path, *, method: str = "auto") -> tuple[str, set[str]]:
    """The emitted kernels, and the arrays of which blocks are said to have copies."""
    path = folder / "a.c"
    path.write_text(HEAD.format(name="t", body=body))
    result = translate(str(path), Options(runtime=False, method=method))
    told = [item.message for item in result.diagnostics if item.code == "ACC327"]
    return result.device, {":".join(re.findall(r"'(\w+)\[0:(\d+)\]'", text)[0]) for text in told}


@pytest.mark.parametrize("name", COPIED)
def test_blocks_have_copies(name: str, tmp_path: Path) -> None:
    body, expected = COPIED[name]
    kernels, told = copied(body, tmp_path)
    assert told == set(expected.split())
    assert kernels.count("_block[") >= 3 * len(told)


def test_a_directive_without_a_tile_hinders_no_copies(tmp_path: Path) -> None:
    body = loop("copy(a[0:100])", "a[x[i]]++;").replace("{ \n", "{\n#pragma acc cache(x[i:1])\n")
    assert "cache" in body
    assert copied(body, tmp_path)[1] == {"a:100"}


TILED = {
    "alone": loop("copy(a[0:100])", "a[t / 2]++;").replace(
        "{ \n", "{\n#pragma acc cache(x[i - 1:2])\nint t = i ? x[i - 1] + x[i] : x[i];\n"
    ),
    "both": loop("copy(a[0:100])", "a[x[i]]++;").replace("{ \n", "{\n#pragma acc cache(x[i:1], a[0:100])\n"),
    "row": loop("copy(b[0:100])", "b[x[i * m + j]] += j;").replace(
        "++i) {", "++i) {\n#pragma acc cache(x[i * m:m])\n#pragma acc loop vector\nfor (int j = 0; j < m; ++j) {"
    )
    + "}",
    "element": loop("copy(b[0:100])", "b[x[i * m + j]] += j;").replace(
        "++i) {", "++i)\n#pragma acc loop vector\nfor (int j = 0; j < m; ++j) {\n#pragma acc cache(x[i * m + j:1])"
    ),
}


@pytest.mark.parametrize("name", TILED)
def test_directives_about_other_arrays_hinder_no_copies(name: str, tmp_path: Path) -> None:
    """They were left where the directives asked for tiles, and the kernel was slower than without directives."""
    assert len(copied(TILED[name], tmp_path, method="rbi")[1]) == 1


def test_tiles_and_copies_give_the_results_of_the_program(tmp_path: Path) -> None:
    cases = []
    for name in TILED:
        whole = PROGRAM.format(name=name, function=HEAD.format(name=name, body=TILED[name]))
        program = Program(name, whole, ((0, 1), (1, 3), (7, 5), (2047, 1), (2049, 2), (9, 300)), ())
        cases += [Case(program, Options(method=method)) for method in ("auto", "rbi", "rbc", "ehc")]
    assert Batch(tmp_path, cases).differences(check=True) == []


@pytest.mark.parametrize("name", LEFT)
def test_an_array_is_left_where_it_is(name: str, tmp_path: Path) -> None:
    kernels, told = copied(LEFT[name], tmp_path)
    assert told == set()
    assert "_block[" not in kernels


def test_an_array_that_overlaps_another_is_left_where_it_is(tmp_path: Path) -> None:
    kernels, told = copied(loop("copy(loose[0:100]) copyin(other[0:n])", "loose[other[i]]++;"), tmp_path)
    own, _, overlapping = kernels.partition("_kernel_overlapping(")
    assert told == {"loose:100"}
    assert "loose_block[" in own
    assert "loose_block[" not in overlapping


@pytest.mark.parametrize(("name", "is_tested"), [("plain", True), ("whole", False), ("reduced", False)])
def test_indices_are_tested_where_there_may_be_more_elements(name: str, is_tested: bool, tmp_path: Path) -> None:
    kernels, _ = copied(COPIED[name][0], tmp_path)
    assert ("(unsigned)x[i] < 100" in kernels) == is_tested


@pytest.mark.parametrize(("index", "is_tested"), [("b[i]", False), ("b[i] >> 2", False), ("(b[i] & 7) + 1", True)])
def test_indices_of_narrow_types_are_inside(index: str, is_tested: bool, tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(
        "void f(const unsigned char *restrict b, int *restrict a, int n)\n{\n"
        "#pragma acc parallel loop copyin(b[0:n]) copy(a[0:256])\n"
        f"for (int i = 0; i < n; ++i) {{{ATOMIC}a[{index}]++; }}\n}}\n"
    )
    assert ("< 256" in translate(str(path), Options(runtime=False)).device) == is_tested


@pytest.mark.parametrize("names", parts(COPIED, 2))
def test_results_are_those_of_the_program(names: list[str], tmp_path: Path) -> None:
    sizes = ((0, 1), (1, 3), (7, 5), (2047, 1), (2049, 2), (5000, 3), (9, 300))
    cases = []
    for name in names:
        whole = PROGRAM.format(name=name, function=HEAD.format(name=name, body=COPIED[name][0]))
        cases.append(Case(Program(name, whole, sizes, (), cached=False), Options()))
    assert Batch(tmp_path, cases).differences(check=True) == []


def test_updates_that_may_change_places_need_no_barrier_between_them(tmp_path: Path) -> None:
    """Rounds of a sequential loop whose updates are of one class, and those of two classes."""
    source = """
void f(int *restrict a, int n, int m)
{{
#pragma acc parallel loop gang copy(a[0:100])
    for (int g = 0; g < n; ++g)
        for (int j = 0; j < m; ++j) {{
#pragma acc loop vector
            for (int i = 0; i < 500; ++i) {{
#pragma acc atomic
                a[(i * j) % 100] {} j;
            }}
        }}
}}
"""
    barriers = []
    for operator in ("+=", "*="):
        path = tmp_path / "a.c"
        path.write_text(source.format(operator))
        barriers.append(translate(str(path), Options(runtime=False)).device.count("__syncthreads"))
    path.write_text(source.format("+=").replace("% 100] += j;", "% 100] += j;\n#pragma acc atomic\na[i % 100] |= j;"))
    barriers.append(translate(str(path), Options(runtime=False)).device.count("__syncthreads"))
    assert barriers == [0, 0, 1]
