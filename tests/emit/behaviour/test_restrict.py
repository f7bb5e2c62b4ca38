"""``__restrict__`` of kernels without a tile: where C says that no two of their arrays are one memory."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from commands import accache

from accache.base.options import Options
from accache.driver import translate

PROGRAMS = Path(__file__).parents[2] / "openacc" / "programs"
PROGRAM = """
float declared[100], other[100];
struct pair { float first, second[9]; };
void f(int n, float one, struct pair pair, PARAMETERS)
{
#pragma acc parallel loop copy(one, pair)
    for (int i = 0; i < n; ++i)
        STATEMENT
}
"""


@pytest.mark.parametrize(
    ("parameters", "statement", "is_promised"),
    [
        ("float *restrict a, const float *restrict b", "a[i] = b[i];", True),
        ("float *restrict a, const float *b", "a[i] = b[i];", True),
        ("float *a, const int *b", "a[i] = b[i];", True),
        ("float *a, const float *b", "a[i] = b[i];", False),
        ("float *a, const char *b", "a[i] = b[i];", False),
        ("int *a, const unsigned *b", "a[i] = b[i];", False),
        ("const float *a, const float *b", "declared[i] = a[i] + b[i];", False),
        ("int *a, const int *b", "declared[i] = other[i];", True),
        ("float *a, const int *b", "a[i] = declared[i];", False),
        ("float *a, const int *b", "a[i] = one;", False),
        ("float *restrict a, const int *b", "a[i] = one;", True),
        ("int *a, const int *b", "a[i] = one;", True),
        ("float *a, const int *b", "pair.second[i] = a[i];", False),
        ("int *a, float **b", "a[i] = b[0][i];", False),
    ],
)
def test_a_kernel_promises_what_c_promises(parameters: str, statement: str, is_promised: bool, tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(PROGRAM.replace("PARAMETERS", parameters).replace("STATEMENT", statement))
    head = next(line for line in translate(str(source), Options()).device.splitlines() if "__global__" in line)
    assert ("__restrict__" in head) == is_promised, head


WAITING = """
#pragma acc routine vector
void shifted(int n, const int *restrict from, int *restrict to, int *restrict out)
{
    to[0] = from[0] + 1;
#pragma acc loop vector
    for (int j = 0; j < n; ++j)
        out[j] = to[0] + from[j];
}
void f(int n, const int *restrict a, int *restrict b, int *restrict rows, int *restrict c)
{
#pragma acc parallel loop gang vector_length(64) copyin(a[0:n*n]) copy(rows[0:n]) copyout(b[0:n*n])
    for (int i = 0; i < n; ++i) {
        rows[i] += 1;
#pragma acc loop vector
        for (int j = 0; j < n; ++j)
            b[i*n + j] = a[i*n + j] + rows[i];
    }
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
    for (int i = 0; i < n; ++i)
        b[i] += a[i];
#pragma acc parallel loop gang vector_length(64) copyin(a[0:n]) copy(b[0:n], c[0:n*n])
    for (int i = 0; i < n; ++i)
        shifted(n, a, b + i, c + i*n);
}
"""


def test_no_promise_of_arrays_through_which_threads_tell_each_other_something(tmp_path: Path) -> None:
    """To nvcc, a barrier changes nothing that such a pointer leads to: threads go on with what they have loaded."""
    source = tmp_path / "a.c"
    source.write_text(WAITING)
    text = translate(str(source), Options()).device
    heads = dict(re.findall(r"__(?:global|device)__ .*?(\w+)\((int n.*)\)$", text, re.M))
    assert heads["f_L12_kernel"] == "int n, int *rows, int *b, const int *__restrict__ a"
    assert heads["f_L19_kernel"] == "int n, int *__restrict__ b, const int *__restrict__ a"
    assert heads["f_L22_kernel"] == "int n, const int *__restrict__ a, int *b, int *c"
    assert heads["shifted_vector"] == "int n, const int *__restrict__ from, int *to, int *out"


@pytest.mark.nvcc
@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
def test_nvcc_loads_again_what_other_threads_have_stored() -> None:
    done = accache("run", "--ptx", PROGRAMS / "levels.c")
    assert "memory after 25 launches executed again from PTX: nothing was found" in done.stderr
    assert done.returncode == 0
