"""Reductions that nobody named: which are found, which are not, and that results are the program's to the bit."""

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
void {name}_f(int n, const double *restrict a, const int *restrict b, int *restrict c, double *out)
{{
    double d = {start}; float f = -3; long l = 2; unsigned u = 7; short s = 9; int k = 5, k2 = 0; _Bool t = 0;
    volatile int v = 0;
#pragma acc kernels copyin(a[0:n], b[0:n]) copy(c[0:n]) {clauses}
{body}
    out[0] = d; out[1] = f; out[2] = l; out[3] = u; out[4] = s; out[5] = k; out[6] = k2; out[7] = t; out[8] = v;
}}
"""
PROGRAM = """
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
{function}
int main(int argc, char **argv)
{{
    int n = atoi(argv[1]), kind = atoi(argv[2]), seed = atoi(argv[3]);
    double *a = malloc(sizeof(double) * (n + 1)), out[9];
    int *b = malloc(sizeof(int) * (n + 1)), *c = malloc(sizeof(int) * (n + 1));
    for (int i = 0; i < n; ++i) {{
        b[i] = (i * 7919 + seed * 31) % 101 - 40, c[i] = i;
        a[i] = kind == 1 && i % 3 == 0 ? NAN : kind == 2 ? NAN : b[i] * 0.37;
    }}
    {name}_f(n, a, b, c, out);
    for (int i = 0; i < 9; ++i)
        printf("%.17g ", out[i]);
    for (int i = 0; i < n; ++i)
        printf("%d ", c[i]);
    printf("\\n");
    return 0;
}}
"""
FOUND = {
    "fmax": ("for (int i = 0; i < n; ++i) { c[i] = b[i]; d = fmax(d, a[i]); }", "max:d"),
    "fmin_float": ("for (int i = 0; i < n; ++i) f = fminf(a[i], f);", "min:f"),
    "magnitude": ("for (int i = 0; i < n; ++i) if (fabs(a[i]) > d) d = fabs(a[i]);", "max:d"),
    "named": ("for (int i = 0; i < n; ++i) { const double x = fabs(a[i]); if (x > d) { d = x; } }", "max:d"),
    "least": ("for (int i = 0; i < n; ++i) d = fabs(a[i]) < d ? fabs(a[i]) : d;", "min:d"),
    "count": ("for (int i = 0; i < n; ++i) if (b[i] > 3) ++k; else k2 += 2;", "+:k +:k2"),
    "differences": ("for (int i = 0; i < n; ++i) { l -= b[i]; u += b[i]; }", "+:l +:u"),
    "product": ("for (int i = 0; i < n; ++i) u *= b[i] | 1;", "*:u"),
    "narrow": ("for (int i = 0; i < n; ++i) s = s + b[i] * 999;", "+:s"),
    "bits": ("for (int i = 0; i < n; ++i) { k ^= b[i]; k2 |= b[i]; l &= b[i]; }", "^:k |:k2 &:l"),
    "greatest": ("for (int i = 0; i < n; ++i) k = b[i] >= k ? b[i] : k;", "max:k"),
    "nested": ("for (int i = 0; i < n; ++i) for (int j = i; j < n; j += 5) { c[i] += 1; k += b[j]; }", "+:k"),
    "within": ("{\n#pragma acc loop gang vector(64)\nfor (int i = 0; i < n; ++i) k2 += c[i] - b[i];\n}", "+:k2"),
    "two": (
        "{\nfor (int i = 0; i < n; ++i) k += b[i];\nfor (int i = 0; i < n; ++i) k2 = k2 < b[i] ? b[i] : k2;\n}",
        "+:k max:k2",
    ),
}
LEFT = {
    "sum": "for (int i = 0; i < n; ++i) d += a[i];",
    "fraction": "for (int i = 0; i < n; ++i) k += a[i];",
    "no_number": "for (int i = 0; i < n; ++i) d = d > a[i] ? d : a[i];",
    "zeros": "for (int i = 0; i < n; ++i) if (a[i] > d) d = a[i];",
    "rounded": "for (int i = 0; i < n; ++i) d = fmaxf(d, a[i]);",
    "used": "for (int i = 0; i < n; ++i) { k += b[i]; c[i] = k; }",
    "bound": "for (int i = 0; i < n && k < 100; ++i) k += b[i];",
    "mixed": "for (int i = 0; i < n; ++i) { k += b[i]; k *= 3; }",
    "turned": "for (int i = 0; i < n; ++i) k = b[i] - k;",
    "truth": "for (int i = 0; i < n; ++i) t += b[i] > 90;",
    "unsigned": "for (int i = 0; i < n; ++i) k = b[i] + 0u > k ? b[i] + 0u : k;",
    "volatile": "for (int i = 0; i < n; ++i) v += b[i];",
    "own_value": "for (int i = 0; i < n; ++i) k += k > 0 ? b[i] : 1;",
    "where": "for (int i = 0; i < n; ++i) if (b[i] > k) { k = b[i]; k2 = i; }",
    "shifts": "for (int i = 0; i < n; ++i) u >>= b[i] & 1;",
}


# What parallel loops reduce, too; each with a loop that says nothing else.
IMPLIED = {name: item for name, item in FOUND.items() if name not in ("two", "within")} | {
    "sum": ("for (int i = 0; i < n; ++i) d += b[i];", "+:d"),
    "double_product": ("for (int i = 0; i < n; ++i) d *= i % 9 ? 1 : 2;", "*:d"),
    "kept": ("for (int i = 0; i < n; ++i) { d += b[i]; c[i] = 3; }", "+:d"),
    "vector": (
        "for (int i = 0; i < n; ++i) {\nlong s = 0;\n#pragma acc loop vector\n"
        "for (int j = 0; j < 40; ++j) s += b[(i + j) % n];\nc[i] = s; }",
        "+:s",
    ),
    "worker": (
        "for (int i = 0; i < n; ++i) {\nint s = c[i];\n#pragma acc loop worker\nfor (int j = 0; j < 9; ++j) {\n"
        "#pragma acc loop vector\nfor (int m = 0; m < 40; ++m) s ^= b[(i + j * m) % n]; }\nc[i] = s; }",
        "^:s",
    ),
}
# In the program's own variables, declared at the top of its function.
IMPLIED |= {
    "of_the_function": (
        "for (int i = 0; i < n; ++i) {\nu = 7;\n#pragma acc loop vector\n"
        "for (int j = 0; j < 40; ++j) u += b[(i + j) % n];\nc[i] = u;\nu = 7; }",
        "+:u",
    ),
    "chosen": ("for (int i = 0; i < n; ++i) if (b[i] > d) d = b[i];", "max:d"),
}
# What they do not: more is done with it than to combine it, or somebody has said whose it is.
SAID = {
    "used": LEFT["used"],
    "mixed": LEFT["mixed"],
    "turned": LEFT["turned"],
    "volatile": LEFT["volatile"],
    "rounded": LEFT["rounded"],
    "not_a_number": LEFT["no_number"],
    "private": ("for (int i = 0; i < n; ++i) { k = 0; k += b[i]; c[i] = k; }", "private(k)"),
    "firstprivate": ("for (int i = 0; i < n; ++i) k += b[i];", "firstprivate(k)"),
    "asked": ("for (int i = 0; i < n; ++i) k += b[i];", "reduction(+:k)"),
    "two_dimensions": (
        "for (int i = 0; i < n; ++i) {\n#pragma acc loop gang(dim:1)\nfor (int j = 0; j < 8; ++j) k += b[j]; }",
        "gang(dim:2)",
    ),
}


def found(
    body: str, folder: Path, clauses: str = "", *, construct: str = "kernels", code: str = "ACC326"
) -> tuple[str, set[str]]:
    """The emitted kernels, and the reductions that are told."""
    path = folder / "a.c"
    text = FUNCTION.format(name="t", body=body, start="0", clauses=clauses)
    path.write_text("#include <math.h>\n" + text.replace("acc kernels", f"acc {construct}"))
    result = translate(str(path), Options(runtime=False))
    told = [item.message for item in result.diagnostics if item.code == code]
    return result.device, {re.findall(r"reduction\((.*)\)", text)[0] for text in told}


@pytest.mark.parametrize("name", FOUND)
def test_it_is_found_and_told(name: str, tmp_path: Path) -> None:
    body, expected = FOUND[name]
    kernels, told = found(body, tmp_path)
    assert told == set(expected.split())
    assert kernels.count("accache_reduce<") >= len(told)


@pytest.mark.parametrize("name", LEFT)
def test_it_is_left_alone(name: str, tmp_path: Path) -> None:
    kernels, told = found(LEFT[name], tmp_path)
    assert told == set()
    assert "<<<1, 1>>>" in kernels or "const dim3 block(1);" in kernels


def test_what_the_data_clause_keeps_on_the_device_is_reduced_there(tmp_path: Path) -> None:
    assert found(FOUND["fmax"][0], tmp_path, clauses="copy(d)")[1] == {"max:d"}


@pytest.mark.parametrize("names", parts(FOUND, 2))
def test_results_are_those_of_the_program(names: list[str], tmp_path: Path) -> None:
    cases = []
    sizes = ((0, 0), (1, 0), (3, 1), (300, 0), (300, 1), (300, 2))
    for name in names:
        body = FOUND[name][0]
        for start, clauses in (("0", ""), ("NAN", "copy(d)"))[: 2 if "d =" in body else 1]:
            unique = f"{name}_{start}"
            function = FUNCTION.format(name=unique, body=body, start=start, clauses=clauses)
            whole = PROGRAM.format(name=unique, function=function)
            cases.append(Case(Program(unique, whole, sizes, (), cached=False), Options()))
    assert Batch(tmp_path, cases).differences(check=True) == []


@pytest.mark.parametrize("name", IMPLIED)
def test_parallel_loops_reduce_what_they_only_combine(name: str, tmp_path: Path) -> None:
    body, expected = IMPLIED[name]
    kernels, told = found(body, tmp_path, construct="parallel loop", code="ACC328")
    assert told == set(expected.split())
    assert "accache_reduce" in kernels or "accache_warp" in kernels


@pytest.mark.parametrize("name", ["fmax", "sum", "count"])
def test_so_do_independent_loops_of_kernels_constructs(name: str, tmp_path: Path) -> None:
    body, expected = IMPLIED[name]
    assert found(body, tmp_path, construct="kernels loop independent", code="ACC328")[1] == set(expected.split())


@pytest.mark.parametrize("name", SAID)
def test_parallel_loops_leave_alone_what_is_more_than_combined(name: str, tmp_path: Path) -> None:
    body, clauses = SAID[name] if isinstance(SAID[name], tuple) else (SAID[name], "")
    assert found(body, tmp_path, clauses, construct="parallel loop", code="ACC328")[1] == set()


@pytest.mark.parametrize("names", parts(IMPLIED, 2))
def test_results_of_parallel_loops_are_those_of_the_program(names: list[str], tmp_path: Path) -> None:
    cases = []
    for name in names:
        clauses = "copy(d)" if name == "kept" else ""
        unique = f"{name}_in_parallel"
        function = FUNCTION.format(name=unique, body=IMPLIED[name][0], start="0", clauses=clauses)
        whole = PROGRAM.format(name=unique, function=function.replace("acc kernels", "acc parallel loop"))
        cases.append(Case(Program(unique, whole, ((1, 0), (3, 0), (300, 0)), (), cached=False), Options()))
    assert Batch(tmp_path, cases).differences(check=True) == []


def test_a_loop_of_a_macro_does_not_reduce_what_another_one_in_it_combines(tmp_path: Path) -> None:
    """All that a macro writes stands at one place."""
    macro = "\n".join(
        (
            '#define TWO _Pragma("acc loop vector") for (int j = 0; j < 9; ++j) m += b[i] + j; \\',
            '    _Pragma("acc loop vector") for (int j = 0; j < 2; ++j) if (j) c[i] = m;\n',
        )
    )
    body = "for (int i = 0; i < n; ++i) { int m = 1; TWO }"
    function = FUNCTION.format(name="macro", body=body, start="0", clauses="")
    whole = PROGRAM.format(name="macro", function=macro + function.replace("acc kernels", "acc parallel loop gang"))
    case = Case(Program("macro", whole, ((300, 0),), (), cached=False), Options())
    assert Batch(tmp_path, [case]).differences(check=True) == []
