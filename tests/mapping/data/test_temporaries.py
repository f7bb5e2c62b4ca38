"""Variables that C89 declares in front of a construct and its loops use for themselves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from matrix.builder import Program
from matrix.harness import Batch, Case

from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
static int place;
static float leave(int n, float *a, float *b)
{
    int i, j, index, hits = 0, length;
    float *row, value, sum, best = -1;
    unsigned char low;
#pragma acc data copyin(a[0:n*n]) copy(b[0:n*n])
    {
#pragma acc parallel loop private(j)
        for (i = 0; i < n; ++i) {
            row = a + i * n;
            sum = 0;
            length = 0;
            for (j = 0; j < n; ++j) {
                sum += *row++;
                if (sum > 100) {
                    length = j;
                    break;
                }
            }
            b[i * n] = sum + length;
        }
#pragma acc parallel loop collapse(2)
        for (i = 0; i < n; ++i)
            for (j = 1; j < n; ++j) {
                index = i * n + j;
                value = a[index];
                if (value > 5) {
                    value = 5;
                } else if (value < 1) {
                    b[index] = 1;
                    continue;
                }
                b[index] = value;
            }
#pragma acc parallel loop reduction(max:best) reduction(+:hits)
        for (i = 0; i < n; ++i) {
            place = i * n;
            row = &b[place];
            value = *row;
            if (row[1] > value) {
                hits++;
                value = row[1];
            }
            if (value > best)
                best = value;
        }
#pragma acc parallel loop gang
        for (i = 0; i < n; ++i) {
            sum = 0;
#pragma acc loop vector reduction(+:sum)
            for (j = 0; j < n; ++j) {
                index = i * n + j;
                sum += b[index];
            }
            value = sum / n;
            row = b + i * n;
#pragma acc loop vector
            for (j = 0; j < n; ++j)
                row[j] -= value;
        }
#pragma acc parallel num_gangs(4)
        {
            value = 3;
#pragma acc loop gang
            for (i = 0; i < n; ++i) {
                sum = value;
                b[i] += sum;
            }
#pragma acc loop gang
            for (i = 0; i < n; ++i) {
                low = i + 250;
                row = b + low % n;
                if (i == low % n + 0 * place)
                    row[0] += value;
            }
        }
#pragma acc parallel loop
        for (i = 0; i < n; ++i) {
#pragma acc cache(a[i:2])
            value = a[i] + (i + 1 < n ? a[i + 1] : 0);
            b[i * n] += value;
        }
    }
    value = 0;
    for (i = 0; i < n * n; ++i)
        value += b[i] * (i % 7 + 1);
    return value + best + hits;
}
int main(int count, char **arguments)
{
    int n = count > 1 ? atoi(arguments[1]) : 40;
    float *a = malloc(n * n * sizeof *a), *b = calloc(n * n, sizeof *b);
    for (int i = 0; i < n * n; ++i)
        a[i] = i * 13 % 11;
    printf("%g", leave(n, a, b));
    for (int i = 0; i < n * n; ++i)
        printf(" %g", b[i]);
    return 0;
}
"""
CONSTRUCT = """
void f(int n, float *restrict a, float *restrict b)
{{
    int i;
    float t = 1, *p = a;
{construct}
    {behind}
}}
"""
LOOP = "#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n]) {clauses}\nfor (i = 0; i < n; ++i) {{ {body} }}"


@pytest.mark.parametrize("tune", ["model", "off"])
@pytest.mark.parametrize("method", ["auto", "rbc"])
def test_results_are_those_of_the_sequential_program(tune: str, method: str, tmp_path: Path) -> None:
    case = Case(Program("temporaries", PROGRAM, ((), ("33",)), ()), Options(tune=tune, method=method))
    assert Batch(tmp_path, [case]).differences(check=True) == []


def kernel(construct: str, folder: Path, behind: str = "") -> str:
    """The text of the one kernel of a construct."""
    source = folder / "a.c"
    source.write_text(CONSTRUCT.format(construct=construct, behind=behind))
    found = re.search(r"^static __global__ .*?^}", translate(str(source), Options()).device, re.S | re.M)
    assert found is not None
    return found.group()


def test_what_an_iteration_writes_first_is_declared_where_it_does(tmp_path: Path) -> None:
    text = kernel(LOOP.format(clauses="", body="p = a; p += i; t = p[0]; b[i] = t * t;"), tmp_path)
    assert "(int n, float *__restrict__ a, float *__restrict__ b)" in text
    assert "        float *p = a;\n        p += i;\n        float t = p[0];\n" in text


def test_what_gangs_write_first_is_declared_in_the_kernel(tmp_path: Path) -> None:
    body = "{ t = n; \n" + LOOP.format(clauses="", body="b[i] = a[i] + t;").replace("parallel loop", "loop gang") + "}"
    body = body.replace("copyin(a[0:n]) copyout(b[0:n])", "")
    construct = f"#pragma acc parallel copyin(a[0:n]) copyout(b[0:n]) num_gangs(4)\n{body}"
    text = kernel(construct, tmp_path, behind="b[0] = t;")
    assert text.splitlines()[2] == "    float t = n;"


def test_private_variables_are_declared_where_they_get_their_value(tmp_path: Path) -> None:
    text = kernel(
        LOOP.format(clauses="private(t, p)", body="p = a + i; if (*p > 1) t = 1; else t = 2; b[i] = t;"), tmp_path
    )
    assert re.search(r"float t;\s+float \*p = a \+ i;\n", text)


def test_what_inner_loops_have_for_themselves_has_one_declaration(tmp_path: Path) -> None:
    inner = "\n#pragma acc loop vector private(t)\nfor (int j = 0; j < 8; ++j) { t = a[j]; b[j] = t; }"
    text = kernel(LOOP.format(clauses="gang private(t)", body=inner), tmp_path)
    assert re.findall(r"float t\w*.*;", text) == ["float t = a[j];"]


def test_a_jump_passes_no_declaration_with_a_value(tmp_path: Path) -> None:
    body = "if (a[i] > 1) goto end; t = a[i]; b[i] = t; end: b[i] += 1;"
    assert "float t;" in kernel(LOOP.format(clauses="private(t)", body=body), tmp_path)


@pytest.mark.parametrize(
    ("clauses", "body"),
    [
        ("", "b[i] = a[i] + t;"),
        ("", "if (a[i] > 0) t = a[i]; b[i] = t;"),
        ("firstprivate(t)", "t = a[i]; b[i] = t;"),
        ("", "float *q = &t; *q = a[i]; t = *q; b[i] = t;"),
    ],
)
def test_what_may_be_read_before_or_is_named_stays_the_gangs_copy(clauses: str, body: str, tmp_path: Path) -> None:
    assert "float t" in kernel(LOOP.format(clauses=clauses, body=body), tmp_path).splitlines()[0]


def test_what_types_tell_lengths_by_stays_the_gangs_copy(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(
        "void f(int n, int t, int *restrict b)\n{\n    int rows[n][t];\n"
        "#pragma acc parallel loop copyin(rows) copyout(b[0:n])\n"
        "    for (int i = 0; i < n; ++i) { b[i] = sizeof(rows[0]) + rows[i][1]; }\n}\n"
    )
    found = re.search(r"__global__ .*", translate(str(source), Options()).device)
    assert found is not None
    assert "int t" in found.group()


def test_pointers_to_rows_of_variable_length_stay_the_gangs_copies(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(
        "void f(int n, int m, int *restrict b)\n{\n    int rows[n][m], (*row)[m], *place;\n"
        "#pragma acc parallel loop copyin(rows) copyout(b[0:n])\n"
        "    for (int i = 0; i < n; ++i) { row = rows + i; place = &b[i]; *place = (*row)[1]; }\n}\n"
    )
    text = translate(str(source), Options()).device
    found = re.search(r"__global__ .*", text)
    assert found is not None
    assert "int *row," in found.group()
    assert "b[i] = row[(long long)0*m + 1];" in text
