"""Threads wait between steps that may meet through a pointer of the kernel's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
void f(float *a, float *s, int n)
{
#pragma acc parallel loop gang copy(a[0:64*n]) copyout(s[0:64*n])
    for (int i = 0; i < n; ++i) {
        float *p = a + i * 64;
#pragma acc loop vector
        for (int j = 0; j < 64; ++j)
            FIRST;
#pragma acc loop vector
        for (int j = 0; j < 64; ++j)
            SECOND;
    }
}
"""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("p[j] += 1", "s[i * 64 + j] = a[i * 64 + 63 - j]"),
        ("a[i * 64 + j] += 1", "s[i * 64 + j] = p[63 - j]"),
    ],
)
def test_a_barrier_stands_between(first: str, second: str, tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(PROGRAM.replace("FIRST", first).replace("SECOND", second))
    device = translate(str(source), Options()).device
    kernel = device[device.index("__global__ void") :]
    assert "__syncthreads();" in kernel[: kernel.index("s[")]


def test_a_barrier_stands_before_an_address_that_other_threads_decide(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    program = PROGRAM.replace("FIRST", "s[i * 64 + j] = 63 - j").replace("SECOND", "a[i * 64 + j] = first")
    program = program.replace("*a,", "*restrict a,").replace("*s,", "*restrict s,")
    last = "#pragma acc loop vector"
    source.write_text(f"long first = &p[(int)s[i * 64 + 3]] - a;\n{last}".join(program.rsplit(last, 1)))
    device = translate(str(source), Options()).device
    kernel = device[device.index("__global__ void") :]
    assert "__syncthreads();" in kernel[kernel.index("s[") : kernel.index("first = &")]


BESIDE_A_TILE = """
struct rows { int *p; };
void f(const int *restrict a, int *restrict b, struct rows s, int *q, LIMIT n)
{
#pragma acc parallel loop gang present(a[0:64*n], b[0:64*n], s) copyin(q[0:n])
    for (int g = 0; g < 8; ++g) {
        STATEMENT
#pragma acc loop vector
        for (int j = 1; j < n; ++j) {
#pragma acc cache(a[g*64+j-1:3])
            b[g * 64 + j] = a[g * 64 + j - 1] + a[g * 64 + j] + a[g * 64 + j + 1];
        }
    }
}
"""


@pytest.mark.parametrize(
    ("statement", "is_promised"),
    [
        ("int *r = b + g; r[0]++;", True),
        ("s.p[g] = 1;", False),
        ("int *r = s.p; r[g] = 1;", False),
        ("q = b + g; q[0] = 1;", False),
    ],
)
def test_restrict_is_promised_only_where_all_addresses_are_followed(
    statement: str, is_promised: bool, tmp_path: Path
) -> None:
    source = tmp_path / "a.c"
    source.write_text(BESIDE_A_TILE.replace("STATEMENT", statement).replace("LIMIT", "int"))
    head = next(line for line in translate(str(source), Options()).device.splitlines() if "__global__" in line)
    assert ("const int *__restrict__ a" in head) == is_promised


@pytest.mark.parametrize(("limit", "width"), [("int", "min(256, "), ("long", "min((long long)256, (long long)n")])
def test_a_width_is_computed_where_both_sides_fit(limit: str, width: str, tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    text = (
        BESIDE_A_TILE.replace("STATEMENT", "b[g]++;").replace("LIMIT", limit).replace("gang", "gang vector_length(256)")
    )
    source.write_text(text)
    assert width in translate(str(source), Options(tune="off")).device
