"""Bytes from L2 that the copies of accache suggest save, beside those of two other rules, on some programs.

    python bench/selections.py samples/cuda/naive/*.cu [--gpu kepler,v100,h100] [--density 2]

Greedy first fit takes the arrays in the order of their loads, and of each the first region with a value that still fits
in the room that leaves as many blocks resident. PPCG's rule takes all arrays that are read alone, regularly and with
reuse or loads that do not coalesce, each by its largest region that fits, up to 48 KB a block, whatever that does to
blocks and L1. All three sums are modelled with all copies of the rule together.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from accache.base.diagnostics import CompileError
from accache.l1.tools import PLAIN, compiled_tools
from accache.library.suggesting import SUGGESTED_GPUS
from accache.workflows.bypass.running import Invocation
from accache.workflows.suggest import kernels
from accache.workflows.suggest.arrays import Used
from accache.workflows.suggest.profit import Profit
from accache.workflows.suggest.program import suggest

PPCG_BYTES = 48 << 10
NOT_TILED = ("written", "atomic", "volatile", "irregular")


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description="Compare selections of copies.")
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--gpu", default="kepler,v100,h100")
    parser.add_argument("--density", type=float, default=2)
    options = parser.parse_args()
    print("| kernel | gpu | suggest | greedy first fit | PPCG's rule |\n| --- | --- | --- | --- | --- |")
    for path in options.programs:
        for gpu in options.gpu.split(","):
            for name, *saved in compared(path, gpu, options.density):
                print(f"| {Path(path).name} {name} | {gpu} | {' | '.join(f'{number:,}' for number in saved)} |")


def compared(path: str, gpu: str, threshold: float) -> list[tuple[str, int, int, int]]:
    """For each kernel that a program launches, what the copies of each rule save."""
    others: list[tuple[int, int]] = []
    usual = kernels._selected

    def watched(used: Sequence[Used], judged: Sequence[tuple[Any, str]], left: int, profit: Profit) -> Any:
        others.append((greedy(used, judged, left, profit), ppcg(used, judged, threshold, profit)))
        return usual(used, judged, left, profit)

    kernels._selected = watched
    try:
        found, _ = suggest(Invocation(path), "", SUGGESTED_GPUS[gpu], threshold, tools=compiled_tools() or PLAIN)
    finally:
        kernels._selected = usual
    return [(each.kernel, each.saved, *other) for each, other in zip(found, others, strict=True)]


def greedy(used: Sequence[Used], judged: Sequence[tuple[Any, str]], left: int, profit: Profit) -> int:
    """What the first regions that fit save together."""
    copied, taken = dict[str, int](), 0
    for each, (choices, rule) in zip(used, judged, strict=True):
        choice = next((item for item in choices if not rule and taken + item.shared <= left), None)
        if choice is not None:
            copied[each.array] = choice.density.copied
            taken += choice.shared
    return profit.saved(copied, taken) if copied else 0


def ppcg(used: Sequence[Used], judged: Sequence[tuple[Any, str]], threshold: float, profit: Profit) -> int:
    """What all arrays with reuse, or loads that do not coalesce, save together; less, if no block fits with them."""
    rows = profit.rows()
    copied, taken = dict[str, int](), 0
    for each, (_, rule) in zip(used, judged, strict=True):
        regions = each.densities if each.is_uniform else each.densities[:1]
        row = rows[each.array]
        dense = (item for item in regions if rule not in NOT_TILED and kernels._is_dense(item, row, threshold))
        fitting = sorted((item for item in dense if taken + item.padded_bytes <= PPCG_BYTES), key=_size)
        if fitting:
            copied[each.array] = fitting[-1].copied
            taken += fitting[-1].padded_bytes
    try:
        return profit.saved(copied, taken) if copied else 0
    except CompileError:  # the kernel has shared memory of its own
        return 0


def _size(item: Any) -> int:
    size: int = item.padded_bytes
    return size


def worse(rows: Sequence[tuple[str, int, int, int]]) -> Iterator[str]:
    """The kernels for which another rule saves more."""
    return (name for name, own, *others in rows if own < max(others))


if __name__ == "__main__":
    main()
