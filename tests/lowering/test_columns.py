"""Reduced arrays that the run indexes: each thread has a column in shared memory, and results stay what they were."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from commands import accache

from accache.base.options import Options
from accache.driver import Translation, translate
from accache.report.text import kernel_paragraph

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
enum {{ COUNT = {count}, LANES = {lanes} }};
{functions}
int main(int argc, char **argv)
{{
    int n = atoi(argv[1]);
    {ctype} sum[COUNT], x[n + 1];
    unsigned char group[n + 1];
    for (int k = 0; k < COUNT; ++k)
        sum[k] = {start};
    for (int i = 0; i < n; ++i) {{
        group[i] = i * 7 % 31 % COUNT;
        x[i] = i % 5 - 1;
    }}
#pragma acc parallel loop vector_length(LANES) reduction({operator}:{section}) copyin(group[0:n], x[0:n])
    for (int i = 0; i < n; ++i) {{
        {body}
    }}
    for (int k = 0; k < COUNT; ++k)
        printf("%a\n", (double)sum[k]);
    return 0;
}}
"""
USUAL = {
    "count": "16", "lanes": "256", "functions": "", "ctype": "float", "start": "k", "operator": "+", "section": "sum",
    "body": "sum[group[i]] += x[i];",
}  # fmt: skip
IN_COLUMNS: list[dict[str, str]] = [
    {},
    {"ctype": "double", "count": "8"},
    {"ctype": "short", "count": "32"},
    {"ctype": "signed char", "count": "5", "start": "1"},
    {"ctype": "long", "count": "8", "operator": "|", "body": "sum[group[i]] |= (long)x[i] + 1;"},
    {"ctype": "int", "operator": "*", "start": "1", "body": "if (x[i] > 2) sum[group[i]] *= 3;"},
    {"operator": "max", "body": "int g = group[i]; sum[g] = x[i] > sum[g] ? x[i] : sum[g];"},
    {"operator": "min", "start": "3", "body": "for (int t = 0; t < i % 3; ++t) if (x[i] < sum[t]) sum[t] = x[i];"},
    {"section": "sum[3:9]", "body": "sum[3 + group[i] % 9] += x[i];"},
    {"lanes": "96", "body": "sum[i & 15] += 2 * x[i];"},
    {"body": "sum[group[i]] += x[i]; for (int k = 0; k < COUNT; ++k) sum[k] += 1;"},
    {"body": "if (i % 3) { sum[group[i]] += x[i]; } else { for (int k = i % 4; k < COUNT; k += 4) ++sum[k]; }"},
]
AS_THEY_ARE: list[dict[str, str]] = [
    {"body": "for (int k = 0; k < COUNT; ++k) sum[k] += x[i] * k;"},
    {"body": "sum[2] += x[i]; sum[COUNT - 1] += 1;"},
    {"count": "17"},
    {"count": "9", "ctype": "double"},
    {"lanes": "32"},
    {"body": "float *p = &sum[group[i]]; *p += x[i];"},
    {
        "functions": "#pragma acc routine seq\nstatic void add(float *all, int g, float v) { all[g] += v; }",
        "body": "sum[group[i]] += x[i]; add(sum, group[i], x[i]);",
    },
]


def written(folder: Path, changed: dict[str, str]) -> Path:
    """The program with some parts changed."""
    path = folder / "a.c"
    path.write_text(PROGRAM.format(**USUAL | changed))
    return path


def made(folder: Path, changed: dict[str, str], options: Options | None = None) -> Translation:
    """What becomes of it."""
    return translate(str(written(folder, changed)), options or Options())


@pytest.mark.parametrize("changed", IN_COLUMNS)
def test_elements_that_the_run_chooses_lie_in_columns(changed: dict[str, str], tmp_path: Path) -> None:
    translation = made(tmp_path, changed)
    lanes = (USUAL | changed)["lanes"]
    assert re.search(rf"__shared__ [\w ]+ sum_columns\[\w+\]\[{lanes}\];", translation.device)
    assert "sum_columns[k][threadIdx.x];\n    accache_reduce_each<" in translation.device
    (kernel,) = translation.report.kernels
    assert kernel.columns == ("sum",)
    assert "  columns     in shared memory, a column of sum for each thread\n" in kernel_paragraph(kernel) + "\n"


@pytest.mark.parametrize("changed", AS_THEY_ARE)
def test_others_stay_in_registers(changed: dict[str, str], tmp_path: Path) -> None:
    translation = made(tmp_path, changed)
    assert "_columns" not in translation.device
    assert translation.report.kernels[0].columns == ()


def test_nothing_is_laid_out_anew_without_estimates(tmp_path: Path) -> None:
    assert "_columns" not in made(tmp_path, {}, Options(tune="off")).device


def test_columns_of_several_arrays_have_room(tmp_path: Path) -> None:
    body = "sum[group[i]] += x[i]; other[group[i]] += 1; few[group[i] % 3] += 1;"
    text = PROGRAM.format(**USUAL | {"body": body, "section": "sum, other, few", "count": "12"})
    path = tmp_path / "a.c"
    path.write_text(text.replace("float sum[COUNT]", "float other[COUNT] = {0}, few[3] = {0}, sum[COUNT]"))
    translation = translate(str(path), Options())
    assert translation.report.kernels[0].columns == ("sum", "few")


@pytest.mark.parametrize("changed", IN_COLUMNS)
def test_results_are_those_of_the_sequential_program(changed: dict[str, str], tmp_path: Path) -> None:
    path = written(tmp_path, changed)
    program = tmp_path / "sequential"
    subprocess.run(("gcc", "-O1", path, "-o", program), check=True)
    for n in (1, 5000):
        expected = subprocess.run((program, str(n)), check=True, capture_output=True, text=True).stdout
        for options in ((), ("--check", "--seed", 3)) if n > 1 else ((),):
            done = accache("run", *options, path, "--", n)
            assert done.returncode == 0, done.stderr
            assert [line for line in done.stdout.splitlines() if "accache" not in line] == expected.splitlines()


@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
def test_the_machine_adds_up_the_same(tmp_path: Path) -> None:
    path = written(tmp_path, {})
    done = [accache("run", *options, path, "--", 3000).stdout.splitlines() for options in ((), ("--ptx",))]
    assert done[0][:16] == done[1][:16]
