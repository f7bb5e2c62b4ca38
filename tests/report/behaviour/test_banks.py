"""Bank conflicts: the model against a simulation of banks, and against the positions that kernels compute."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from accache.caching.estimates.banks import bank_degree, block_degree
from accache.report.text import Report

Explain = Callable[..., Report]


def simulated(addresses: list[int], size: int) -> int:
    """Turns of one pass: in each turn a bank hands out one word, to every lane that wants it."""
    wanted = [{(address + byte) // 4 for byte in range(size)} for address in addresses]
    passes = max(1, size // 4)
    lanes = len(wanted) // passes
    worst = 0
    for start in range(0, len(wanted), lanes):
        open_words = set().union(*wanted[start : start + lanes])
        turns = 0
        while open_words:
            served: dict[int, int] = {}
            for word in open_words:
                served.setdefault(word % 32, word)
            open_words -= set(served.values())
            turns += 1
        worst = max(worst, turns)
    return worst


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("stride", [0, 1, 2, 3, 4, 5, 8, 16, 17, 31, 32, 33, 64, -1, -3, -32])
def test_strides(size: int, stride: int) -> None:
    addresses = [1 << 16 | lane * stride * size + (1 << 15) for lane in range(32)]
    addresses = [(1 << 20) + lane * stride * size for lane in range(32)]
    assert bank_degree(addresses, size) == simulated(addresses, size)


@pytest.mark.parametrize(
    ("size", "stride", "degree"),
    [(4, 0, 1), (4, 1, 1), (4, 2, 2), (4, 3, 1), (4, 32, 32), (4, 33, 1), (8, 1, 1), (8, 2, 2), (8, 16, 16), (1, 1, 1)],
)
def test_textbook_cases(size: int, stride: int, degree: int) -> None:
    assert bank_degree([lane * stride * size for lane in range(32)], size) == degree


def test_structures_are_read_word_by_word() -> None:
    assert bank_degree([lane * 12 for lane in range(32)], 12) == 1
    assert bank_degree([lane * 24 for lane in range(32)], 24) == 2


@pytest.mark.parametrize("block", [(256, 1, 1), (16, 16, 1), (32, 8, 1), (8, 4, 4), (33, 3, 1), (5, 1, 1)])
@pytest.mark.parametrize("strides", [(1, 18, 300), (1, 16, 64), (32, 1, 0), (0, 1, 7), (3, 0, 0)])
def test_the_worst_warp_of_a_block(block: tuple[int, int, int], strides: tuple[int, int, int]) -> None:
    threads = [(x, y, z) for z in range(block[2]) for y in range(block[1]) for x in range(block[0])]
    addresses = [4 * sum(a * b for a, b in zip(strides, thread, strict=True)) for thread in threads]
    warps = [addresses[start : start + 32] for start in range(0, len(addresses), 32)]
    bytes_apart = {axis: 4 * stride for axis, stride in zip("xyz", strides, strict=True)}
    assert block_degree(bytes_apart, block, 4, (0,)) == max(simulated(warp, 4) for warp in warps)


@pytest.mark.parametrize(
    ("element", "rate", "degree"),
    [
        ("float", 1, 1),
        ("float", 2, 2),
        ("float", 3, 1),
        ("float", 8, 8),
        ("double", 1, 1),
        ("double", 2, 2),
        ("char", 1, 1),
    ],
)
def test_a_tile_read_at_a_stride(element: str, rate: int, degree: int, explain: Explain) -> None:
    report = explain(
        f"""
void f({element} *a, {element} *b, int n)
{{
#pragma acc parallel loop independent copyin(a[0:{rate}*n+3]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {{
#pragma acc cache(a[{rate}*i:3])
        for (int j = 0; j < 3; ++j)
            b[i] = a[{rate}*i + j];
    }}
}}
""",
        method="rbi",
    )
    assert [item.degree for item in report.kernels[0].subarrays[0].banks] == [degree]


@pytest.mark.parametrize(("columns", "degree"), [(32, 1), (33, 1), (40, 1), (48, 1)])
def test_a_gang_local_array_read_by_columns(columns: int, degree: int, explain: Explain) -> None:
    report = explain(f"""
void f(float *a, float *b)
{{
#pragma acc parallel loop gang copyin(a[0:32768]) copyout(b[0:32768])
    for (int i = 0; i < 32768; i += 1024) {{
        float tile[32][{columns}];
#pragma acc cache(tile)
#pragma acc loop vector collapse(2)
        for (int y = 0; y < 32; ++y)
            for (int x = 0; x < 32; ++x)
                tile[y][x] = a[i + 32*y + x];
#pragma acc loop vector collapse(2)
        for (int y = 0; y < 32; ++y)
            for (int x = 0; x < 32; ++x)
                b[i + 32*y + x] = tile[x][y];
    }}
}}
""")
    assert [item.degree for item in report.kernels[0].subarrays[0].banks] == [1, degree]


def test_contrary_mappings_share_and_one_of_them_is_padded(explain: Explain) -> None:
    """The paper skips a subarray that is mapped contrary to another one; here each dimension follows its own loop."""
    report = explain("""
void f(const float *restrict a, const float *restrict b, float *restrict c, int n)
{
#pragma acc parallel loop copyin(a[0:n*n], b[0:n*n]) copyout(c[0:n*n])
    for (int i = 0; i < n; ++i) {
#pragma acc loop
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int l = 0; l < n; l += 16) {
#pragma acc cache(a[i:1][l:16], b[j:1][l:16])
                for (int k = l; k < l + 16; ++k)
                    sum += a[i*n + k] * b[j*n + k];
            }
            c[i*n + j] = sum;
        }
    }
}
""")
    rows, columns = report.kernels[0].subarrays
    assert (rows.scope, rows.dimensions[0].axis, rows.extents, rows.padding) == ("block", "y", (16, 16), 0)
    assert (columns.scope, columns.dimensions[0].axis, columns.extents, columns.padding) == ("block", "x", (16, 17), 1)
    assert columns.shared_bytes == 16 * 17 * 4
    assert [bank.degree for item in (rows, columns) for bank in item.banks] == [1, 1]
    assert "b_tile[16][17], one for the block, 1088 bytes, 1 a row is padding" in str(report)


def test_an_index_from_memory_is_not_guessed(explain: Explain) -> None:
    report = explain("""
void f(float *a, float *b, int *where, int n)
{
#pragma acc parallel loop copyin(a[0:n], where[0:n]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:4])
        for (int j = 0; j < 4; ++j)
            b[i] = a[where[i]];
    }
}
""")
    found = report.kernels[0].subarrays[0]
    assert [(item.degree, bool(item.reason)) for item in found.banks] == [(None, True)]
    assert found.method == "rbc"
