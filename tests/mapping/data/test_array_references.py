"""Pointers that a construct declares: arrays in their place, unless they may stand for more than one address."""

from __future__ import annotations

import re

import pytest

import accache

CONSTRUCT = """
#include <stddef.h>
typedef struct {{ float x, y; }} point;
float *anywhere;
void f(int n, int m, unsigned u, long l, float *a, float *restrict b, const int *to, point *points, float plane[][64])
{{
#pragma acc parallel loop copyin(to[0:n], {a}) copy(b[0:n*m], points[0:n], plane[0:n])
    for (int i = 0; i < n; ++i) {{
        {body}
    }}
}}
"""


def kernel(body: str, a: str = "a[0:n*m]") -> str:
    """The kernel of a construct that does so."""
    cuda = accache.translate(CONSTRUCT.format(body=body, a=a), coarsen="off", tune="off").cuda
    found = re.search(r"^static __global__ .*?^}", cuda, re.S | re.M)
    assert found is not None
    return found.group()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("const float *row = a + i*m; b[i] = row[m - 1];", "b[i] = a[i*m + m - 1];"),
        ("const float *row = i*m + a; b[i] = row[-i];", "b[i] = a[i*m - i];"),
        (
            "const float *p = &a[i*m]; b[i] = *p + *(p + 2) + *(p - 3 + i);",
            "a[i*m] + a[i*m + 2] + a[i*m - 3 + i]",
        ),
        ("float *row = &b[i*m], *next = row + m, *up = next - 2*m; *next = *up;", "b[i*m + m] = b[i*m - m];"),
        ("b[i] = *(a + i*m - (m - 2));", "b[i] = a[i*m - m + 2];"),
        ("point *p = points + i; p->x = (*p).y;", "points[i].x = points[i].y;"),
        ("point *p = &points[i]; point *q = p - 1; p[0].x = q->y;", "points[i].x = points[i - 1].y;"),
        ("float (*rows)[64] = plane + i; b[i] = rows[1][3] + (*rows)[2];", "plane[i + 1][3] + plane[i][2]"),
        ("*(b + i*m + 1) = *(a + i) + (a + i)[m] + *(&a[i] + 2);", "b[i*m + 1] = a[i] + a[i + m] + a[i + 2];"),
        ("b[i] = *(*(plane + i) + 5) + **(plane + 1);", "b[i] = plane[i][5] + plane[1][0];"),
        ("const float *row = a + u*m; b[i] = row[i - 1];", "a[(long long)(u*m) + (long long)(i - 1)]"),
        ("const float *row = a + l*m; b[i] = row[i - 1];", "a[l*m + (i - 1)]"),
    ],
)
def test_arrays_stand_in_the_place_of_pointers(body: str, expected: str) -> None:
    found = kernel(body)
    assert expected in found
    assert not re.search(r"\*(row|rows|next|up|p|q) = ", found)


@pytest.mark.parametrize("clause", ["a[0:l]", "a[i:n]", "a[1:n]"])
def test_numbers_that_may_not_fit_into_an_int_are_added_in_64_bits(clause: str) -> None:
    """In C they are: ``a + i*m`` is an address, and ``j`` is added to it."""
    found = kernel("const float *row = a + i*m; b[i] = row[m - 1];", clause.replace("i:", "m:"))
    assert "b[i] = a[(long long)(i*m) + (long long)(m - 1)];" in found


@pytest.mark.parametrize(
    "body",
    [
        "const float *row = a + i*m; row += 1; b[i] = row[0];",
        "const float *row; row = i == 2 ? b : a + i*m; b[i] = row[0];",
        "int k = i; const float *row = a + k*m; k = 0; b[i] = row[k];",
        "const float *row = a + to[i]; b[i] = row[0];",
        "const float *row = i > 3 ? a : a + m; b[i] = row[0];",
        "const float *row = a + i*m; const float **other = &row; b[i] = (*other)[1] + row[0];",
        "const int *row = (const int *)(a + i*m); b[i] = row[0];",
        "float *restrict row = b + i*m; row[0] = b[n - 1 - i];",
        "float *row = plane[i]; b[i] = row[1];",
        "const volatile float *row = a + i*m; b[i] = row[0];",
    ],
)
def test_other_pointers_stay(body: str) -> None:
    assert "row = " in kernel(body)


def test_a_pointer_with_other_uses_stays_beside_arrays() -> None:
    found = kernel("const float *row = a + i*m; const float *end = row; end += 2; b[i] = row[1] + (float)(end - row);")
    assert "const float *row = a + i*m;" in found
    assert "b[i] = a[i*m + 1] + (float)(end - row);" in found


def test_members_of_one_structure_are_reached_as_before() -> None:
    """Perhaps parts of it are mapped: what is used of them is checked where they are reached by an arrow."""
    assert "points->x = points->y;" in kernel("point *p = points; p->x = p->y;")


def test_a_directive_may_name_a_pointer_of_the_kernel() -> None:
    text = """
void f(int n, int m, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop gang copyin(a[0:n*m]) copy(b[0:n*m])
    for (int i = 0; i < n; ++i) {
        const float *row = a + i*m;
        float *out = b + i*m;
#pragma acc loop vector
        for (int j = 1; j < m - 1; ++j) {
#pragma acc cache(POINTER[j-1:3])
            out[j] = row[j - 1] + row[j] + row[j + 1];
        }
    }
}
"""
    by_pointer = accache.translate(text.replace("POINTER[", "row["), method="rbi")
    by_array = accache.translate(text.replace("POINTER[", "a[i*m+"), method="rbi")
    assert by_pointer.diagnostics == by_array.diagnostics == ()
    assert "b[i*m + j] = a_tile[threadIdx.x] + a_tile[threadIdx.x + 1] + a_tile[threadIdx.x + 2];" in by_pointer.cuda
    assert by_pointer.cuda.replace("row[j-1:3]", "a[i*m+j-1:3]") == by_array.cuda


def test_rows_by_pointers_are_mapped_as_rows_by_indices() -> None:
    loops = "for (int j = 0; j < m; ++j) {body}"
    by_pointer = kernel("float *row = b + i*m; " + loops.format(body="row[j] += a[j];"))
    by_index = kernel(loops.format(body="b[i*m + j] += a[j];"))
    assert by_pointer.splitlines()[1:] == by_index.splitlines()[1:]
    assert "const int j = 32*blockIdx.x + threadIdx.x;" in by_pointer
