"""Barriers stand where threads pass data to each other, and nowhere else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from workshop import Workshop

from accache.base.options import Options

SOURCE = Path(__file__).parent / "programs" / "own_cells.c"
EXPECTED = {
    name: int(number) for number, name in re.findall(r"/\* barriers: (\d+).*?\*/\nvoid (\w+)", SOURCE.read_text())
}
KERNEL = re.compile(r"^static __global__ .*? (\w+?)_L\d+_kernel\(.*?^}", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_kernel_has_the_barriers_it_needs(name: str, workshop: Workshop) -> None:
    device = workshop.translation(SOURCE, Options()).device
    found = {match[1]: match[0].count("__syncthreads();") for match in KERNEL.finditer(device)}
    assert found[name] == EXPECTED[name]
