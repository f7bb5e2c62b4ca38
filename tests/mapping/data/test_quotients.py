"""Quotients that the host computes."""

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
int {name}_steps = 12;
void {name}_f({type} n, {type} m, int *restrict a, int *restrict b)
{{
#pragma acc {construct} copy(b[0:2*n+2]) copyin(a[0:2*n+2]) {clauses}
    for ({type} i = 0; i < n/2; ++i) {{
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
    int n = atoi(argv[1]), m = atoi(argv[2]), seed = atoi(argv[3]), size = 2*n + 2;
    int *a = malloc(sizeof *a * size), *b = malloc(sizeof *b * size);
    for (int i = 0; i < size; ++i)
        a[i] = (i * 7 + seed) % 11, b[i] = i % 5;
    {name}_f(n, m, a, b);
    for (int i = 0; i < size; ++i)
        printf("%d ", b[i]);
    return 0;
}}
"""
HANDED = {
    "half": ("b[i] = a[i + n/2];", "n/2", "n_over_2"),
    "shifted": ("b[i] = a[i + (n >> 1)];", "n >> 1", "n_shr_1"),
    "nested": ("b[i] = a[i + (n/2 + 1)/3];", "(n/2 + 1)/3", "n_over_2_plus_1_over_3"),
    "masked": ("b[i] = a[i + m/(7 & 3)];", "m/(7 & 3)", "m_over_3"),
    "lowered": ("b[i] = a[i + (n + (2 - 4)) / 2 + 1];", "(n + (2 - 4))/2", "n_plus_minus_2_over_2"),
    "number first": ("b[i] = a[i + (9 - n)/2 + n];", "(9 - n)/2", "from_9_minus_n_over_2"),
    "cached": ("\n#pragma acc cache(a[i + m/4:2])\nb[i] = a[i + m/4] + a[i + m/4 + 1];", "m/4", "m_over_4"),
    "named": ("const int third = n/3;\nb[i] = a[i + third] + third;", "n/3", "n_over_3"),
    "butterfly": ("const int x = b[i], y = b[i + n/2];\nb[i] = x + y;\nb[i + n/2] = x - y;", "n/2", "n_over_2"),
    "conditional": ("if (i < m/3)\nb[i + n/2] = a[i + m/3];", "m/3", "m_over_3"),
}
CLASHING = {
    "types": "b[i] = a[i + (unsigned char)(n + 254)/2] + 3*a[i + (signed char)(n + 254)/2 + 80] + 5*a[i + (_Bool)n/2];",
    "widths": "b[i] = a[i + (long)n/2] + 3*a[i + n/2];",
    "variable": "b[i] = a[i + n/2] + 3*a[i + n_over_2] + n_over_2;",
    "local": "int n_over_2 = i/2;\nb[i] = a[i + n/2] + 3*a[n_over_2];",
    "macro": "b[i] = a[i + n/2] + 3*a[i + m_over_4 + m/4];",
    "routine": "b[i] = a[i + n/3] + n_over_3(i);",
}
"""Quotients alike but for types, and names that the program has already."""
DECLARED = {
    "variable": "int n_over_2 = 1;\n",
    "macro": "#define m_over_4 (m/4)\n",
    "routine": "#pragma acc routine seq\nint n_over_3(int x) { return x + 5; }\n",
}
LEFT = {
    "of what changes": "int own = i;\nb[i] = a[own/2];",
    "of what iterations assign": "m = i;\nb[i] = a[m/2];",
    "by what the run knows": "b[i] = a[i + n/(m + 1)];",
    "by zero": "if (m < 0)\nb[i] = a[m/0];",
    "remainder": "b[i] = a[i + n%3];",
    "in device memory": "b[i] = a[i + t_steps/2];",
    "outside of indices": "b[i] = a[i] + m/2;",
}
SIZES = tuple((n, m) for n in (0, 1, 2, 3, 9, 64, 130) for m in (0, 1, 7) if m <= n)


def source(name: str, body: str, construct: str = "parallel loop", ctype: str = "int", clauses: str = "") -> str:
    """The function whose body is tried."""
    return FUNCTION.format(name=name, body=body, construct=construct, type=ctype, clauses=clauses)


def emitted(folder: Path, text: str) -> tuple[str, str]:
    """The host's and the device's text."""
    path = folder / "a.c"
    path.write_text(text)
    found = translate(str(path), Options(runtime=False, method="rbi" if "cache(" in text else "auto"))
    assert not [item for item in found.diagnostics if item.code in ("ACC307", "ACC402")]
    return found.host, found.device


@pytest.mark.parametrize("name", HANDED)
def test_the_host_hands_over_quotients_in_indices(name: str, tmp_path: Path) -> None:
    body, value, variable = HANDED[name]
    host, device = emitted(tmp_path, source("t", body, "kernels loop" if name == "butterfly" else "parallel loop"))
    kernel = device.partition("__global__")[2].partition("\n}")[0]
    assert f", {value})" in host or f", {value}, " in host
    assert f"int {variable}" in kernel
    assert value not in kernel


@pytest.mark.parametrize("name", LEFT)
def test_kernels_compute_other_quotients(name: str, tmp_path: Path) -> None:
    clauses = "copyin(t_steps)" if "t_steps" in LEFT[name] else ""
    _, device = emitted(tmp_path, source("t", LEFT[name], clauses=clauses))
    assert "_over_" not in device


@pytest.mark.parametrize("names", parts(HANDED, 2))
def test_results_are_those_of_the_program(names: list[str], tmp_path: Path) -> None:
    cases = []
    for name in names:
        for ctype in ("int", "unsigned", "long"):
            unique = f"{name}_{ctype}"
            construct = "kernels loop" if name == "butterfly" else "parallel loop"
            function = source(unique, HANDED[name][0], construct, ctype)
            whole = PROGRAM.format(name=unique, function=function)
            options = Options(method="rbi") if name == "cached" else Options(coarsen="2")
            cases.append(Case(Program(unique, whole, SIZES, (), cached=name == "cached"), options))
    assert Batch(tmp_path, cases).differences(check=True) == []


def test_names_and_types_tell_quotients_apart(tmp_path: Path) -> None:
    cases = []
    for name, body in CLASHING.items():
        whole = PROGRAM.format(name=name, function=DECLARED.get(name, "") + source(name, body))
        whole = whole.replace("2*n + 2", "2*n + 260").replace("2*n+2", "2*n+260")
        cases.append(Case(Program(name, whole, SIZES, (), cached=False), Options()))
    assert Batch(tmp_path, cases).differences(check=True) == []


@pytest.mark.parametrize("name", CLASHING)
def test_the_joined_file_has_each_name_once(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(DECLARED.get(name, "") + source("t", CLASHING[name]))
    joined = translate(str(path), Options()).joined or ""
    prototype = re.search(r'^(?:#undef (\w+)\n)?extern "C" void t_f_L\d+\((.*)\);', joined, re.M)
    assert prototype is not None
    names = re.findall(r"(\w+)(?:,|$)", prototype[2])
    assert len(names) == len(set(names))
    assert "m_over_4" not in names or prototype[1] == "m_over_4"
