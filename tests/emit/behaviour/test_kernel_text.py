"""The text of kernels, as a CUDA programmer would write it."""

from __future__ import annotations

from pathlib import Path

from accache.base.options import Options
from accache.driver import translate


def kernel(folder: Path, text: str) -> str:
    """The text of the only kernel of a program."""
    path = folder / "a.c"
    path.write_text(text)
    device = translate(str(path), Options(coarsen="off")).device
    return (
        "static __global__"
        + device.partition("static __global__ void __launch_bounds__(256) f_")[2].partition("\n}")[0]
    )


def test_one_condition_guards_what_a_block_stores_of_several_reductions(tmp_path: Path) -> None:
    text = """
float f(int n, const float *a, float *most)
{
    float sum = 0, top = 0;
#pragma acc parallel loop copyin(a[0:n]) reduction(+:sum) reduction(max:top)
    for (int i = 0; i < n; ++i) {
        sum += a[i];
        top = a[i] > top ? a[i] : top;
    }
    *most = top;
    return sum;
}
"""
    found = kernel(tmp_path, text)
    stores = """    if (threadIdx.x == 0) {
        sum_partials[blockIdx.x] = sum;
        top_partials[blockIdx.x] = top;
    }"""
    assert found.endswith(stores)


BRANCHES = """
void f(int n, const int *a, int *b)
{{
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {{
        {branches}
    }}
}}
"""


def test_branches_have_braces_all_of_them_or_none(tmp_path: Path) -> None:
    none = kernel(tmp_path, BRANCHES.format(branches="if (a[i] > 3) b[i] = 1; else if (a[i]) b[i] = 2; else b[i] = 3;"))
    assert (
        """        if (a[i] > 3)
            b[i] = 1;
        else if (a[i])
            b[i] = 2;
        else
            b[i] = 3;
"""
        in none
    )
    every = kernel(tmp_path, BRANCHES.format(branches="if (a[i] > 3) { b[i] = 1; b[i] += a[i]; } else b[i] = 3;"))
    assert (
        """        if (a[i] > 3) {
            b[i] = 1;
            b[i] += a[i];
        } else {
            b[i] = 3;
        }
"""
        in every
    )


def test_a_distance_is_not_called_as_a_word_of_c(tmp_path: Path) -> None:
    text = """
void f(int n, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop copyin(a[0:n+9]) copyout(b[0:n])
    for (int o = 0; o < n; ++o) {
        float s = 0;
        for (int k = 0; k < 9; ++k)
            s += a[o + k];
        b[o] = s;
    }
}
"""
    path = tmp_path / "a.c"
    path.write_text(text)
    device = translate(str(path), Options(coarsen="4")).device
    assert "b[o_base + do2] = s[do2];" in device


def test_a_size_that_the_launch_counts_is_compared_as_in_c(tmp_path: Path) -> None:
    text = """#include <stddef.h>
void f(size_t n, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
    for (size_t i = 1; i < n - 1; ++i)
        b[i] = a[i - 1] + a[i + 1];
}
"""
    assert "    if (i < n - 1)\n        b[i] = " in kernel(tmp_path, text)
    near_the_end = text.replace("size_t i = 1", "unsigned i = 1").replace("size_t n", "unsigned n")
    assert "    if (i < n - 1)\n" not in kernel(tmp_path, near_the_end)  # threads beyond the limit might wrap


UNREAD = """
void f(int n, unsigned *restrict out, const unsigned *restrict a)
{
#pragma acc parallel loop copyin(a[0:n + 8]) copy(out[0:n])
    for (int i = 0; i < n; ++i) {
        unsigned unread = a[i];
        out[i] += 1;
    }
}
"""


def test_a_kernel_knows_nothing_of_arrays_that_it_has_lost(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(UNREAD)
    device = translate(str(path), Options(method="none", coarsen="2", wide="on", runtime=False)).device
    assert "f_L4_kernel(int n, unsigned *__restrict__ out)" in device
    assert "accache_aligned(a);" not in device
    path.write_text(UNREAD.replace("+= 1", "+= unread"))
    used = translate(str(path), Options(method="none", coarsen="2", wide="on", runtime=False)).device
    assert "accache_aligned(a);" in used
