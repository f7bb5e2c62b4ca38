"""A tile that does not fit in the usual block gets a smaller one, if the block's size is accache's own choice."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from accache.report.text import Report

Explain = Callable[..., Report]

ROWS = """
void f(const float *restrict a, float *restrict b, int n)
{{
#pragma acc parallel loop {clauses} copyin(a[0:{stride}*n+108]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {{
#pragma acc cache(a[{stride}*i:{stride}+8])
        for (int k = 0; k < {stride}; ++k)
            b[i] += a[{stride}*i + k] + a[{stride}*i + k + 8] + a[{stride}*i + {last}];
    }}
}}
"""
PLANE = """
void f(const float *restrict a, float *restrict b, int n, int m)
{
#pragma acc parallel loop copyin(a[0:64*n*m]) copy(b[0:n*m])
    for (int i = 0; i < n - 1; ++i)
#pragma acc loop
        for (int j = 0; j < m - 1; ++j) {
#pragma acc cache(a[8*i:9][8*j:9])
            for (int k = 0; k < 9; ++k)
                for (int l = 0; l < 9; ++l)
                    for (int again = 0; again < 9; ++again)
                        b[i*m + j] += a[(8*i + k)*8*m + 8*j + l] * again;
        }
}
"""
WORKERS = """
void f(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop gang copyin(a[0:100000]) copy(b[0:64*n])
    for (int i = 0; i < n; ++i) {
#pragma acc loop worker
        for (int j = 0; j < 8; ++j) {
#pragma acc cache(a[6000*j:6001])
#pragma acc loop vector
            for (int k = 0; k < 512; ++k)
                for (int l = 0; l < 50; ++l)
                    b[64*i + 8*j + k % 8] += a[6000*j + k + 100*l];
        }
    }
}
"""


def rows(stride: int, clauses: str = "", last: int = 7) -> str:
    return ROWS.format(stride=stride, clauses=clauses, last=last)


@pytest.mark.parametrize(
    ("arch", "stride", "threads", "method"),
    [
        ("sm_90", 200, 256, "rbi"),
        ("sm_90", 300, 128, "rbi"),
        ("sm_90", 600, 64, "rbi"),
        ("sm_90", 1500, 32, "rbi"),
        ("sm_90", 2000, 256, "none"),
        ("sm_75", 100, 128, "rbi"),
        ("sm_86", 100, 128, "rbi"),
    ],
)
def test_the_largest_block_that_has_room(arch: str, stride: int, threads: int, method: str, explain: Explain) -> None:
    report = explain(rows(stride), arch=arch)
    kernel = report.kernels[0]
    (item,) = kernel.subarrays
    assert (kernel.threads, item.method) == (threads, method)
    if method == "rbi":
        assert item.shared_bytes == kernel.shared_bytes == 4 * (stride * threads + 8)
    told = [(found.code, found.message) for found in report.diagnostics]
    needed = f"it needs {4 * (stride * 256 + 8)} bytes of shared memory"
    if threads < 256:
        assert [code for code, _ in told] == ["ACC420"]
        assert f"a block has {threads} threads, not 256: {needed}" in told[0][1]
    else:
        assert [code for code, _ in told] == (["ACC416"] if method == "none" else [])


@pytest.mark.parametrize("clauses", ["vector_length(256)", "num_workers(2)", "gang vector(128)"])
def test_the_users_block_stays(clauses: str, explain: Explain) -> None:
    report = explain(rows(600, clauses))
    assert report.kernels[0].threads in (128, 256, 512)
    assert report.kernels[0].subarrays[0].method == "none"
    assert [found.code for found in report.diagnostics] == ["ACC416"]


def test_a_size_that_is_no_constant_leaves_the_choice_to_us(explain: Explain) -> None:
    report = explain(rows(600, "vector_length(n)"))
    assert report.kernels[0].threads == 64
    assert [found.code for found in report.diagnostics] == ["ACC311", "ACC420"]


def test_a_method_asked_for_gets_its_block(explain: Explain) -> None:
    report = explain(rows(600, last=700), method="rbi")
    assert report.kernels[0].threads == 64
    assert [found.code for found in report.diagnostics] == ["ACC409", "ACC420"]


def test_what_is_said_of_the_usual_block_is_not_said_again(explain: Explain) -> None:
    report = explain(rows(600).replace("i + 7]", "i + 7] + a[600*i + 700]"))
    assert report.kernels[0].subarrays[0].method == "rbi"
    assert [found.code for found in report.diagnostics] == ["ACC409", "ACC420"]


def test_two_loops(explain: Explain) -> None:
    report = explain(PLANE, arch="sm_75")
    kernel = report.kernels[0]
    assert (kernel.block, kernel.subarrays[0].extents) == ((16, 8, 1), (65, 129))
    assert explain(PLANE).kernels[0].block == (16, 16, 1)


def test_loops_over_workers(explain: Explain) -> None:
    kernel = explain(WORKERS, arch="sm_75").kernels[0]
    assert (kernel.block, kernel.subarrays[0].extents) == ((32, 2, 1), (12001,))
    assert explain(WORKERS).kernels[0].block == (32, 4, 1)


def test_a_smaller_block_must_save_half_of_the_loads(explain: Explain) -> None:
    text = rows(600).replace("a[600*i + k] + a[600*i + k + 8] + a[600*i + 7]", "a[600*i + k]")
    report = explain(text)
    assert report.kernels[0].threads == 256
    assert report.kernels[0].subarrays[0].method == "none"


def test_most_tiles_count(explain: Explain) -> None:
    """One tile fits in no block: the other two decide."""
    text = rows(300, "copyin(c[0:400000])").replace("int n)", "const float *restrict c, int n)", 1)
    text = text.replace("+8])\n        for", "+8], c[0:400000])\n        for").replace("b[i] +=", "b[i] += c[k] *")
    report = explain(text)
    assert report.kernels[0].threads == 128
    assert [item.method for item in report.kernels[0].subarrays] == ["rbi", "none"]
    assert sorted(found.code for found in report.diagnostics) == ["ACC416", "ACC420"]


def test_reductions_and_the_gangs_arrays_take_their_room_first(explain: Explain) -> None:
    """226 rows of 256 floats and 8 more leave less than the 2056 bytes that a sum of doubles takes."""
    plain = rows(226)
    summed = (
        plain.replace("{{", "{")
        .replace("\n{\n", "\n{\n    double sum = 0;\n", 1)
        .replace("parallel loop ", "parallel loop reduction(+: sum) ")
        .replace("b[i] +=", "sum +=")
    )
    assert explain(plain).kernels[0].threads == 256
    kernel = explain(summed).kernels[0]
    assert kernel.threads == 128
    reduced = 1040  # 129 values of 8 bytes; the pool begins behind them at a multiple of 16
    assert kernel.shared_bytes == 4 * (226 * 128 + 8) + reduced
