"""Thread density agrees with its definition, and with the values that are known for well-known kernels."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

from accache.density.accesses import Loads, loads_of
from accache.density.measure import density

Indices = Callable[[int, int], list[int]]


def launch(grid: tuple[int, int], block: tuple[int, int], indices: Indices, size: int = 4) -> Loads:
    """What ``indices`` says that the thread at global x and y loads, of elements of a size."""
    threads, elements, number = [], [], 0
    for by in range(grid[1]):
        for bx in range(grid[0]):
            for ty in range(block[1]):
                for tx in range(block[0]):
                    own = indices(bx * block[0] + tx, by * block[1] + ty)
                    elements += own
                    threads += [number] * len(own)
                    number += 1
    addresses = 0x7000_0000 + size * np.array(elements)
    return loads_of(
        block[0] * block[1],
        np.array(threads, np.uint32),
        addresses.astype(np.uint64),
        np.full(len(threads), size, np.uint8),
    )


SQUARE = [(dx, dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
CROSS = [(0, -1), (-1, 0), (0, 0), (1, 0), (0, 1)]
N = 64
ORACLE = {
    "gemm a, 16 x 16": ((4, 4), (16, 16), lambda x, y: [y * N + k for k in range(N)], 16, 16.0),
    "gemm b, 16 x 16": ((4, 4), (16, 16), lambda x, y: [k * N + x for k in range(N)], 16, 16.0),
    "gemm a, 32 x 8": ((2, 8), (32, 8), lambda x, y: [y * N + k for k in range(N)], 32, 32.0),
    "gemm b, 32 x 8": ((2, 8), (32, 8), lambda x, y: [k * N + x for k in range(N)], 32, 8.0),
    "x[j]": ((2, 1), (256, 1), lambda x, y: list(range(1024)), 256, 256.0),
    "a row a thread": ((1, 1), (256, 1), lambda x, y: [x * 512 + k for k in range(64)], 32, 1.0),
    "a[8 * tid]": ((4, 1), (256, 1), lambda x, y: [8 * x], 0, 0.125),
    "an interior 3 x 3 convolution, 32 x 8": (
        (1, 1), (32, 8), lambda x, y: [(y + 1 + dy) * 200 + x + 1 + dx for dx, dy in SQUARE], 0, 9 * 256 / 340,
    ),
    "an interior 5-point stencil, 16 x 16": (
        (1, 1), (16, 16), lambda x, y: [(y + 1 + dy) * 200 + x + 1 + dx for dx, dy in CROSS], 0, 5 * 256 / 324,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ORACLE)
def test_known_densities(name: str) -> None:
    grid, block, indices, chunk, expected = ORACLE[name]
    found = density(launch(grid, block, indices), chunk)
    assert found.density == pytest.approx(expected, rel=0.01)
    assert found.density == pytest.approx(found.reuse * found.fill)


def test_a_convolution_with_edge_blocks() -> None:
    n, (width, height) = 512, (32, 8)
    number = np.arange(n * n)
    block, thread = np.divmod(number, width * height)
    x = block % (n // width) * width + thread % width
    y = block // (n // width) * height + thread // width
    inside = (x > 0) & (x < n - 1) & (y > 0) & (y < n - 1)
    around = np.array([dy * n + dx for dx, dy in SQUARE])
    address = 4 * ((y * n + x)[inside][:, None] + around[None, :]).reshape(-1)
    threads = np.repeat(number[inside], 9).astype(np.uint32)
    loads = loads_of(width * height, threads, address.astype(np.uint64), np.full(len(threads), 4, np.uint8))
    columns, rows = n + 2 * n // width - 2, n + 2 * n // height - 2
    assert density(loads).density == pytest.approx(9 * (n - 2) ** 2 / (columns * rows))
    assert density(loads).density == pytest.approx(6.77, abs=0.005)


def test_strides_fill_little_of_sectors_and_box() -> None:
    found = density(launch((1, 1), (256, 1), lambda x, y: [8 * x]))
    assert (found.sector_fill, found.reuse, found.pitch) == (0.125, 1.0, 0)


def test_rows_that_are_known_are_taken() -> None:
    loads = launch((1, 1), (256, 1), lambda x, y: [8 * x])
    found = density(loads, pitch=8)
    assert (found.fill, found.box, found.largest_rows, found.copied) == (1.0, 256, 256, 256)


def test_wide_loads_count_as_the_elements_they_load() -> None:
    thread = np.array([0, 0, 1], np.uint32)
    loads = loads_of(2, thread, np.array([0, 16, 4], np.uint64), np.array([16, 4, 4], np.uint8))
    assert loads.element.tolist() == [0, 1, 2, 3, 4, 1]
    assert (density(loads).uses, density(loads).touched) == (6, 5)


def plainly(loads: Loads, chunk: int) -> tuple[int, int, int]:
    """F, the sum of D, and sectors, from the definition."""
    regions: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for thread, element, occurrence in zip(loads.thread, loads.element, loads.occurrence, strict=True):
        place = (int(thread) // loads.block_threads, int(occurrence) // chunk)
        regions.setdefault(place, set()).add((int(element), int(thread)))
    touched = [{element for element, _ in pairs} for pairs in regions.values()]
    sectors = [{element * loads.element_bytes // 32 for element in elements} for elements in touched]
    return sum(map(len, touched)), sum(map(len, regions.values())), sum(map(len, sectors))


@pytest.mark.parametrize("kind", ["any order", "rising", "far apart"])
@pytest.mark.parametrize("seed", range(60))
def test_random_loads_agree_with_the_definition(seed: int, kind: str) -> None:
    random = np.random.default_rng(seed)
    count, block = int(random.integers(1, 400)), int(random.integers(1, 40))
    size = int(random.choice([1, 2, 4, 8]))
    thread = random.integers(0, 3 * block, count)
    index = random.integers(1000, 1000 + int(random.integers(1, 500)), count)
    if kind == "rising":
        thread, index = np.unique(np.stack((thread, index)), axis=1)
    if kind == "far apart":
        index = index << 27
    loads = loads_of(
        block, thread.astype(np.uint32), (size * index).astype(np.uint64), np.full(len(thread), size, np.uint8)
    )
    assert loads.is_monotonic or kind != "rising"
    chunk = int(random.integers(1, 12))
    found = density(loads, chunk)
    assert (found.touched, found.uses, found.sectors) == plainly(loads, chunk)
    assert found.touched <= found.box <= found.regions * found.largest
    assert found.copied >= found.sectors


def test_twenty_million_loads_a_second() -> None:
    threads, each = 8192, 256
    thread = np.repeat(np.arange(threads, dtype=np.uint32), each)
    row, column = np.divmod(np.arange(threads), 1024)
    address = 4 * (1024 * np.arange(each)[None, :] + (column + row)[:, None]).reshape(-1)
    size = np.full(len(thread), 4, np.uint8)
    taken = []
    for _ in range(3):
        start = time.process_time()
        density(loads_of(256, thread, address.astype(np.uint64), size), 16)
        taken.append(time.process_time() - start)
    rate = len(thread) / min(taken) / 1e6
    print(f"{rate:.1f} M loads a second")
    assert rate > 4, "an order of magnitude below the goal is a defect on any machine"


def test_rows_begin_where_no_column_is_used() -> None:
    """Rows that reach over more than half of their pitch to the right of their first element are one box."""
    thread = np.arange(8, dtype=np.uint32).repeat(69)
    addresses = (0x7000_0000 + 4 * (thread.astype(np.uint64) * 100 + np.tile(np.arange(69), 8))).astype(np.uint64)
    found = density(loads_of(8, thread, addresses, np.full(len(thread), 4, np.uint8)), pitch=100)
    assert (found.box, found.largest_rows, found.pitch) == (8 * 69, 8, 100)
