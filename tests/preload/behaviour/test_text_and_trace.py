"""What the text of affine kernels tells of thread density is what their accesses say, one by one."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from accache.base.diagnostics import Reporter
from accache.density.accesses import loads_of
from accache.density.measure import Density, density
from accache.l1.gpus import KEPLER
from accache.preload.plan import Plan, Tile
from accache.preload.references import arrays_of
from accache.workflows.bypass.running import Invocation
from accache.workflows.preload.program import preload

BLOCKS = ((32, 1), (16, 16), (32, 8), (8, 4), (64, 2))
Reference = tuple[int, int, int, int, int, int]
"""Factors of y, x, k in the row, k in the column, and the row and column added."""


class Kernel:
    """A random kernel that loads elements of rows of a length (0: of one row), perhaps in a loop over k."""

    def __init__(self, dice: random.Random, block: tuple[int, int]) -> None:
        self.block = block
        self.pitch = dice.choice([0, 100, 128, 513]) if block[1] > 1 or dice.random() < 0.5 else 0
        self.trips = dice.choice([0, 0, 2, 3, 5, 8])
        self.references = [self.reference(dice) for _ in range(dice.randint(1, 4))]

    def reference(self, dice: random.Random) -> Reference:
        if not self.pitch:
            return 0, dice.choice([0, 1, 1, 2, 3, 8]), 0, dice.choice([0, 1, 2]), 0, dice.randint(0, 20)
        row, column = dice.choice([(0, 0), (0, 1), (1, 0), (1, 1)])
        return dice.choice([0, 1, 1]), dice.choice([0, 1, 1, 2]), row, column, dice.randint(0, 3), dice.randint(0, 9)

    def text(self, name: str) -> str:
        k = "k" if self.trips else "0"
        places = (
            f"a[({y}*y + {row}*{k} + {dy})*{self.pitch} + {x}*x + {column}*{k} + {dx}]"
            for y, x, row, column, dy, dx in self.references
        )
        loop = f"for (int k = 0; k < {self.trips}; ++k)\n        " if self.trips else ""
        return f"""__global__ void {name}(const float *__restrict__ a, float *__restrict__ o)
{{
    int x = blockIdx.x*blockDim.x + threadIdx.x, y = blockIdx.y*blockDim.y + threadIdx.y;
    float s = 0;
    {loop}s += {" + ".join(places)};
    o[y*4096 + x] = s;
}}
"""

    def loads(self, references: list[Reference]) -> Density:
        """The density of the first block's loads of some references."""
        columns, rows = self.block
        found = [
            (y * columns + x, (fy * y + row * k + dy) * self.pitch + fx * x + column * k + dx)
            for y in range(rows)
            for x in range(columns)
            for k in range(self.trips or 1)
            for fy, fx, row, column, dy, dx in references
        ]
        thread, element = np.array(found).T
        sizes = np.full(len(thread), 4, np.uint8)
        addresses = (0x7000_0000 + 4 * element).astype(np.uint64)
        return density(loads_of(rows * columns, thread.astype(np.uint32), addresses, sizes), pitch=self.pitch)


def tile_of(plan: Plan) -> Tile | None:
    """The best box of a kernel's array."""
    (decision,) = (item for item in plan.decisions if item.array == "a")
    return decision.tile or decision.best


def compared(block: tuple[int, int], seed: int, count: int, folder: Path) -> int:
    """How many of some random kernels have the very box that their accesses have; what it holds is what they say."""
    dice = random.Random(f"{seed} {block}")
    kernels = {f"k{number}": Kernel(dice, block) for number in range(count)}
    path = folder / "kernels.cu"
    path.write_text("#include <cuda_runtime.h>\n" + "".join(each.text(name) for name, each in kernels.items()))
    seen = 0
    for plan in preload(Invocation(str(path)), KEPLER, 0.0, (*block, 1), reporter=Reporter()).plans:
        kernel, tile = kernels[plan.view.name], tile_of(plan)
        assert tile is not None
        if tile.loop is not None:
            continue
        offsets = sorted(load.offset for load in arrays_of(plan.view, plan.block).references["a"])
        own = [kernel.references[offsets.index(each.offset)] for each in tile.box.references]
        traced, told = kernel.loads(own), tile.measures
        where = kernel.text(plan.view.name)
        assert told.reuse == pytest.approx(traced.reuse), where
        assert tile.box.elements * told.fill == pytest.approx(traced.touched), where
        rows = [pitch.constant_value for pitch in tile.box.pitches[:-1]]
        if rows == [kernel.pitch] or not kernel.pitch:
            assert tile.box.elements == traced.box, where
            seen += 1
        elif any(y or row for y, _, row, *_ in own):  # rows along a diagonal; else the text knows of no rows
            assert tile.box.elements <= traced.box, where
    return seen


@pytest.mark.parametrize("block", BLOCKS)
def test_they_agree(block: tuple[int, int], tmp_path: Path) -> None:
    assert compared(block, 0, 12, tmp_path) > 4


@pytest.mark.thorough
@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("seed", range(1, 4))
def test_many_more_agree(seed: int, block: tuple[int, int], tmp_path: Path) -> None:
    assert compared(block, seed, 40, tmp_path) > 15
