"""Rows whose length only the run knows, of which registers hold what the launch says they are long at most."""

from __future__ import annotations

from pathlib import Path

import pytest
from matrix.builder import Program
from matrix.harness import Batch, Case

from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
static void norm(int n, int m, const TYPE *restrict x, const TYPE *restrict g, TYPE *restrict y)
{
#pragma acc parallel loop gang copyin(x[0:n*m], g[0:m]) copyout(y[0:n*m])
    for (int i = 0; i < n; ++i) {
        TYPE most = 0, sum = 0;
#pragma acc loop vector reduction(max:most)
        for (int j = FIRST; j < LIMIT; ++j)
            most = most < x[i*m+j] ? x[i*m+j] : most;
#pragma acc loop vector reduction(+:sum)
        for (int j = FIRST; j < LIMIT; ++j)
            sum += most - x[i*m+j];
#pragma acc loop vector
        for (int j = 0; j < m; ++j)
            y[i*m+j] = x[i*m+j]*g[j] + sum;
    }
}
int main(int count, char **arguments)
{
    const int n = atoi(arguments[1]), m = atoi(arguments[2]), shift = atoi(arguments[3]);
    TYPE *x = malloc((n*m + 4) * sizeof *x), *y = calloc(n*m + 4, sizeof *y), *g = malloc((m + 4) * sizeof *g);
    for (int i = 0; i < n*m + 4; ++i)
        x[i] = i * 37 % 101;
    for (int i = 0; i < m + 4; ++i)
        g[i] = i % 7;
#pragma acc data copyin(x[0:n*m + 4], g[0:m + 4]) copy(y[0:n*m + 4])
    norm(n, m, x + shift, g + shift, y + shift);
    double sum = 0;
    for (int i = 0; i < n*m; ++i)
        sum += y[i + shift] * (i % 13 + 1);
    printf("%.17g\\n", sum);
    return 0;
}
"""
LENGTHS = (1, 3, 4, 31, 32, 33, 124, 128, 132, 511, 512, 1020, 1024, 1025, 1028)
SIZES = tuple((str(n), str(m), str(shift)) for n, m in ((253, m) for m in LENGTHS) for shift in (0, 1))


def program(ctype: str = "float", first: str = "0", limit: str = "m") -> str:
    return PROGRAM.replace("TYPE", ctype).replace("FIRST", first).replace("LIMIT", limit)


def kernels(text: str, folder: Path) -> dict[str, str]:
    """The kernels by the ends of their names."""
    path = folder / "a.c"
    path.write_text(text)
    device = translate(str(path), Options(runtime=False)).device
    parts = device.split("norm_L7_kernel")[1:]
    return {name: body.partition("\n}\n")[0] for name, _, body in (part.partition("(") for part in parts)}


@pytest.mark.parametrize(("ctype", "elements"), [("float", "8][4"), ("double", "16"), ("short", "8][4")])
def test_registers_hold_rows_of_run_time_length(ctype: str, elements: str, tmp_path: Path) -> None:
    found = kernels(program(ctype), tmp_path)
    assert f"{ctype} x_row[{elements}];" in found[""]
    assert found[""].count("x[i*m + j]") == 1
    assert found.get("_unaligned", found[""]).count("x[i*m + j]") == 1
    assert "x_row" not in found["_lengthwise"]  # any length


def test_what_runs_over_another_part_of_a_row_reads_memory(tmp_path: Path) -> None:
    found = kernels(program(limit="m - 1"), tmp_path)
    assert "x_row" in found[""]  # the first two loops are alike
    assert found[""].count("x[i*m + j]") == 2


@pytest.mark.parametrize(
    ("index", "start", "step", "first", "limit"),
    [
        ("int", "m", "k -= i % 2;", "0", "k"),
        ("int", "i % 2", "k += 2;", "k", "k + m - 4"),
        ("long", "i % 2", "k += 2;", "k", "k + m - 4"),
    ],
)
def test_a_part_that_changes_between_two_walks(
    index: str, start: str, step: str, first: str, limit: str, tmp_path: Path
) -> None:
    before, between = "        TYPE most = 0", "#pragma acc loop vector reduction(+:sum)"
    text = PROGRAM.replace(before, f"        int k = {start};\n{before}").replace(between, f"        {step}\n{between}")
    text = text.replace("TYPE", "float").replace("FIRST", first).replace("LIMIT", limit)
    text = text.replace("int j", f"{index} j").replace("int k", f"{index} k")
    assert all("x_row" not in kernel for kernel in kernels(text.replace("_L7", "_L8"), tmp_path).values())
    batch = Batch(tmp_path, [Case(Program("lengths", text, SIZES[2::4], ()), Options())])
    assert batch.differences(check=False) == []


def test_rows_whose_indices_end_where_int_does(tmp_path: Path) -> None:
    """Rounds for a row of 1,024 elements would pass that end; those of the row do not."""
    text = PROGRAM.replace("int n, int m,", "int n, int m, int k,").replace(
        "norm(n, m,", "norm(n, m, 2147483647 - m - 700,"
    )
    text = text.replace("j = FIRST; j < LIMIT", "j = k; j < k + m").replace("i*m+j]", "i*m+(j-k)]")
    text = text.replace("j = 0; j < m", "j = k; j < k + m").replace("g[j]", "g[j-k]").replace("TYPE", "float")
    assert "x_row" not in kernels(text, tmp_path)[""]
    wide = text.replace("int k,", "long k,").replace("int j =", "long j =")
    assert "x_row" in kernels(wide, tmp_path)[""]
    sizes = tuple((str(n), str(m), "0") for n, m in ((253, 1), (253, 50), (253, 1020), (4, 50)))
    for name, code in (("int", text), ("long", wide)):
        folder = tmp_path / name
        folder.mkdir()
        assert Batch(folder, [Case(Program("ends", code, sizes, ()), Options())]).differences(check=False) == []


@pytest.mark.parametrize("ctype", ["float", "double", "short"])
def test_results_are_those_of_the_sequential_program(ctype: str, tmp_path: Path) -> None:
    batch = Batch(tmp_path, [Case(Program("rows", program(ctype), SIZES, ()), Options())])
    assert batch.differences(check=False) == []


def test_the_checker_finds_nothing(tmp_path: Path) -> None:
    for number, text in enumerate((program(), program("double", "1", "m - 1"), program(limit="m - 1"))):
        folder = tmp_path / str(number)
        folder.mkdir()
        batch = Batch(folder, [Case(Program("rows", text, SIZES[::3], ()), Options())])
        assert batch.differences(check=True) == []
