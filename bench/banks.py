"""Turns in which banks of shared memory serve a block of 16 x 16 threads, by type, layout, order and padding.

``python bench/banks.py`` runs the microbenchmark of paper 004 (its Listing 6) on the PTX machine, whose trace of shared
memory tells what each warp asks for at once. Needs nvcc and g++.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cost.launches import ARCH, Run, Variant, run_variant
from cost.memory import asked, shared_accesses

from accache.base.options import Options
from accache.ptx.execute import run
from accache.ptx.machine.launch import Launch
from accache.ptx.machine.link import link
from accache.ptx.machine.trace import Trace

PROGRAM = Path(__file__).with_name("listing_6.cu")


def as_printed(text: str) -> str:
    """The program as the paper prints it: nobody waits until the others have fetched, which ``--check`` finds."""
    return text.replace("    __syncthreads();\n    for", "    for")


@dataclass(frozen=True)
class Setting:
    """One form of the microbenchmark: the type of an element, flat or with two subscripts, and how threads lie on it.

    With ``order`` XY threads along x have a row each, with YX a column; ``padding`` elements end each row.
    """

    ctype: str
    flat: bool
    order: str
    padding: int


def settings() -> list[Setting]:
    """Those of the program's launches, those with and without padding side by side."""
    return [
        Setting(ctype, flat, order, padding)
        for ctype in ("int", "double")
        for flat in (False, True)
        for order in ("XY", "YX")
        for padding in (0, 1)
    ]


def main() -> None:
    """Print the table."""
    chosen = settings()
    turns = measured(chosen)
    print("| type | layout | threads along x | no padding | one element a row |")
    print("| --- | --- | --- | --- | --- |")
    for number, each in list(enumerate(chosen))[::2]:
        along = "rows (XY)" if each.order == "XY" else "columns (YX)"
        layout = "flat" if each.flat else "2D"
        print(f"| {each.ctype} | {layout} | {along} | {turns[number]:.2f} | {turns[number + 1]:.2f} |")


def measured(chosen: Sequence[Setting]) -> list[float]:
    """The turns of an access to shared memory, on the average, in each of these forms."""
    with tempfile.TemporaryDirectory() as name:
        done = run_variant(Variant(PROGRAM, PROGRAM.read_text(), "", (), Options(arch=ARCH)), Path(name))
        launches = dict(zip(settings(), done.launches(), strict=True))
        return [_turns(done, launches[each].launch) for each in chosen]


def _turns(done: Run, launch: Launch) -> float:
    recorder = Trace(shared=True)
    _, outcome = run(done.module, launch, trace=recorder, cores=1)
    records, program = recorder.records(), link(done.module, launch.kernel)
    return asked(records, outcome.arrivals, program, done.module, launch=launch).turns / shared_accesses(records)


if __name__ == "__main__":
    main()
