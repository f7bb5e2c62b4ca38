"""The presets: what they hold, where their numbers come from, and what shared memory leaves of them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from launches import BASE

from accache.l1.gpus import GPUS, KB, L2, Gpu, gpu_named, with_blocks_of, with_shared
from accache.l1.parameters import GIVEN, SOURCES, Parameter, as_lines, parameters
from accache.l1.tables import movement
from accache.l1.tools import PLAIN, compiled_tools
from accache.l1.trace import trace_of

CHOICES = {
    "v100": (128, (0, 8, 16, 32, 64, 96), 6 * KB),
    "a100": (192, (0, 8, 16, 32, 64, 100, 132, 164), 40 * KB),
    "h100": (256, (0, 8, 16, 32, 64, 100, 132, 164, 196, 228), 50 * KB),
    "h200": (256, (0, 8, 16, 32, 64, 100, 132, 164, 196, 228), 50 * KB),
}


@pytest.mark.parametrize(("name", "expected"), CHOICES.items(), ids=CHOICES)
def test_what_shared_memory_takes_l1_has_not(name: str, expected: tuple[int, tuple[int, ...], int]) -> None:
    unified, choices, l2 = expected
    gpu = gpu_named(name)
    assert gpu.size == unified * KB
    assert gpu.l2 == L2(l2 * KB, 16)
    for choice in choices:
        assert with_shared(gpu, choice * KB).size == (unified - choice) * KB
    with pytest.raises(ValueError, match="0k, 8k, 16k"):
        with_shared(gpu, 48 * KB)


def test_fermi_has_two_presets_instead() -> None:
    with pytest.raises(ValueError, match="does not change"):
        with_shared(gpu_named("fermi-16k"), 16 * KB)


@pytest.mark.parametrize(
    ("name", "block_shared", "chosen", "blocks"),
    [
        ("v100", 0, 0, 8),
        ("v100", 4 * KB, 32, 8),
        ("v100", 5 * KB, 64, 8),
        ("v100", 48 * KB, 96, 2),
        ("a100", 0, 8, 8),  # each block has one more kilobyte since the A100
        ("a100", 4 * KB, 64, 8),
        ("a100", 163 * KB, 164, 1),
        ("h100", 100 * KB, 228, 2),
    ],
)
def test_blocks_get_the_least_shared_memory_that_holds_them(
    name: str, block_shared: int, chosen: int, blocks: int
) -> None:
    gpu = with_blocks_of(gpu_named(name), block_shared, 256)
    assert gpu.unified is not None
    assert (gpu.unified.chosen, gpu.blocks) == (chosen * KB, blocks)
    assert gpu.size == gpu.unified.size - chosen * KB


def test_a_block_that_does_not_fit_is_an_error() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        with_blocks_of(gpu_named("h100"), 228 * KB, 256)


def test_registers_leave_fewer_blocks_place() -> None:
    """72 registers of 128 threads are 7 blocks, not 16; Fermi's presets do not know how many there are."""
    h100, fermi = gpu_named("h100"), gpu_named("fermi-16k")
    assert [with_blocks_of(h100, 0, 128, registers).blocks for registers in (0, 32, 72)] == [16, 16, 7]
    assert with_blocks_of(h100, 20 * KB, 128, 72).size - with_blocks_of(h100, 20 * KB, 128).size == (228 - 164) * KB
    assert with_blocks_of(fermi, 0, 128, 63) == with_blocks_of(fermi, 0, 128)


@pytest.mark.parametrize("gpu", GPUS, ids=lambda gpu: gpu.name)
def test_every_parameter_has_a_source(gpu: Gpu) -> None:
    found = parameters(gpu)
    assert {parameter.source for parameter in found} <= set(SOURCES) - {GIVEN}
    assert sum(len(line.split(", ")) for line in as_lines(found)) == len(found)


def test_what_differs_from_the_preset_is_given() -> None:
    changed = parameters(with_shared(gpu_named("v100"), 64 * KB))
    assert {parameter.name for parameter in changed if parameter.source == GIVEN} == {"size", "ways", "shared"}


def test_the_document_has_every_parameter_of_every_preset() -> None:
    document = (Path(__file__).parents[2] / "docs" / "model.md").read_text()
    table = re.search(r"^\| parameter \|.*?\n\n", document, re.M | re.S)
    assert table is not None
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table[0].strip().splitlines()]
    written = {(names, row[0]): cell for row in rows for names, cell in zip(head[1:], row[1:], strict=True)}
    expected = {}
    for names in head[1:]:
        for name in names.split(", "):
            for parameter in parameters(gpu_named(name)):
                expected[names, parameter.name] = f"{parameter.source} {shown(parameter)}"
    assert {name for names in head[1:] for name in names.split(", ")} == {gpu.name for gpu in GPUS}
    assert written == expected


def shown(parameter: Parameter) -> str:
    if parameter.name in ("size", "shared", "l2_size") and isinstance(parameter.value, int):
        return f"{parameter.value // KB} KB"
    return "none" if parameter.value is None else str(parameter.value)


@pytest.mark.parametrize(
    ("name", "shared", "blocks"), [("fermi-16k", 0, 6), ("fermi-16k", 24 * KB, 2), ("fermi-48k", 16 * KB, 1)]
)
def test_blocks_of_fermi_share_what_the_preset_leaves(name: str, shared: int, blocks: int) -> None:
    gpu = gpu_named(name)
    assert with_blocks_of(gpu, shared, 256) == replace(gpu, blocks=blocks)


def test_a_block_of_fermi_has_no_more_shared_memory_than_the_preset_leaves() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        with_blocks_of(gpu_named("fermi-48k"), 17 * KB, 256)


@pytest.mark.parametrize(("line", "sector"), [(96, None), (128, 24), (0, None)])
def test_lines_and_sectors_are_powers_of_two(line: int, sector: int | None) -> None:
    with pytest.raises(ValueError, match="not a power of two"):
        Gpu("odd", sets=1, ways=1, line_bytes=line, sector_bytes=sector)


@pytest.mark.parametrize(
    ("matrices", "index", "expected"),
    [(1, "fold", 87.8), (2, "fold", 87.8), (1, "modulo", 3.0)],
)
def test_rows_at_a_stride_of_a_power_of_two_use_all_of_the_cache(matrices: int, index: str, expected: float) -> None:
    """A GV100 counts 87.8 % for PolyBench/GPU's atax: 256 threads read rows of 16 KB, and x, which is one vector.

    Two matrices are as gesummv has them. Lines of one set by the low bits of their addresses would miss all.
    """
    thread, column = np.repeat(np.arange(256), 32), np.tile(np.arange(32), 256)
    rows = [BASE + (matrix << 26) + 16384 * thread + 4 * column for matrix in range(matrices)]
    address = np.stack([*rows, (1 << 29) + 4 * column], 1).ravel()
    each = np.repeat(thread, matrices + 1)
    trace = trace_of((256, 1, 1), (each, np.zeros_like(each), address, np.full_like(each, 4)))
    total = movement(trace, replace(gpu_named("v100"), index=index), compiled_tools() or PLAIN).total
    assert round(100 * total.in_l1 / total.asked, 1) == pytest.approx(expected, abs=0.3)
