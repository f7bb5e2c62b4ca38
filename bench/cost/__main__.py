"""What emitted kernels cost a GPU: ``python bench/cost [--only NAME] [--gpu h100] [--columns none,default] [--json]``.

Each program of samples and bench/kernels, in several variants, runs on this machine's CPU, and its launches on the PTX
machine. "clocks" are those that one multiprocessor takes for 32 units of work at least: the largest of issue slots
/ 3.2, sectors of L1 / 4, turns of the banks of shared memory, and bytes from and to L2 / its share. "slots" are
issue slots for 32 units, "fill" tells which part of the threads that the chip holds the launch has, "bar" at how many
barriers a warp waits; LDG and LDS are the bytes of a lane's loads. nvcc is needed, and no GPU; counts are kept.
``--ranks`` prints how the planner's estimates of the forms of each kernel agree with what is counted of these, and
ends with 1 where they do not. ``--calibrate`` counts anew what PTX instructions weigh, and needs nvdisasm (the extra
``sass``).
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import msgspec

sys.path.insert(0, str(Path(__file__).parents[1]))

from accache.workflows.machine_code import disassembler
from cost.calibrate import calibrated, counts_of
from cost.chips import CHIPS, Chip, chip_named
from cost.launches import ALL_COLUMNS, COLUMNS
from cost.measure import measure
from cost.programs import Program, all_programs
from cost.ranks import HEAD as HEAD_OF_RANKS
from cost.ranks import MOST_LOSS, kernels_of, ranked, summary
from cost.table import HEAD, Row, lines, means, starved
from cost.weights import weights, with_shorter, write


def main() -> None:
    """Print the table, or calibrate."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--only", action="append", metavar="NAME", help="this program; may be repeated")
    options.add_argument("--gpu", choices=[chip.name for chip in CHIPS], default="h100")
    options.add_argument("--columns", default=",".join(COLUMNS), help="which ones, with commas between them")
    options.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many programs at a time")
    options.add_argument("--json", action="store_true", help="all counts instead of a table")
    options.add_argument("--calibrate", action="store_true", help="write weights.json anew")
    options.add_argument("--ranks", action="store_true", help="the estimates of kernels' forms against their counts")
    chosen = options.parse_args()
    programs = [each for each in all_programs() if not chosen.only or each.name in chosen.only]
    columns = chosen.columns.split(",")
    if not programs or not set(columns) <= set(ALL_COLUMNS):
        known = (", ".join(each.name for each in all_programs()), ", ".join(ALL_COLUMNS))
        options.error(f"known programs: {known[0]}; columns: {known[1]}")
    with ProcessPoolExecutor(chosen.jobs) as pool:
        if chosen.calibrate:
            calibrate(programs, pool)
        elif chosen.ranks:
            rank(programs, chip_named(chosen.gpu), pool)
        else:
            report(programs, columns, chip_named(chosen.gpu), chosen.json, pool=pool)


def calibrate(programs: Sequence[Program], pool: ProcessPoolExecutor) -> None:
    """Write the weights, and print how near they come to each kernel's number of SASS instructions."""
    tool = disassembler()
    if tool is None:
        sys.exit("there is no nvdisasm: pip install '.[sass]'")
    kernels = calibrated(programs, tool, pool)
    counts = counts_of(kernels)
    write(counts)
    found = with_shorter(counts)
    print(f"{'kernel':<60}{'SASS':>6}{'weights':>9}")
    for kernel in kernels:
        note = "  (written twice in part: left out)" if kernel.copies else ""
        print(f"{kernel.name[:58]:<60}{kernel.sass_count:>6}{kernel.slots(found):>9.1f}{note}")


def rank(programs: Sequence[Program], chip: Chip, pool: ProcessPoolExecutor) -> None:
    """Print the forms of each kernel with both clocks; end with 1 where the emitted one is slower than plain."""
    print(HEAD_OF_RANKS)
    kernels = (kernel for found in pool.map(kernels_of, programs) for kernel in found)
    tasks = [pool.submit(ranked, kernel, chip, weights()) for kernel in kernels]
    found = []
    for task in tasks:
        found.append(task.result())
        print(found[-1], flush=True)
    print("\n".join(summary(found)))
    if any(each.loss is not None and each.loss > MOST_LOSS for each in found):
        sys.exit(1)


def report(
    programs: Sequence[Program], columns: Sequence[str], chip: Chip, as_json: bool, *, pool: ProcessPoolExecutor
) -> None:
    """Measure, and print as soon as a program is done; end with 1 where columns have different results."""
    tasks = {
        program: {
            column: pool.submit(measure, program, column)
            for column in columns
            if column != "peer" or program.peer is not None
        }
        for program in programs
    }
    if not as_json:
        print(f"clocks of one multiprocessor of {chip.name} for 32 units of work\n{HEAD}")
    rows = []
    warnings = 0
    for program, futures in tasks.items():
        row = Row(program, {column: future.result() for column, future in futures.items()})
        costs = row.costs(chip, weights())
        rows.append((row, costs))
        for warning in row.disagreements():
            print(f"{program.name}: {warning}", file=sys.stderr)
            warnings += 1
        if not as_json:
            print("\n".join(lines(row, costs)), flush=True)
    if as_json:
        print(msgspec.json.encode({row.program.name: costs for row, costs in rows}).decode())
    else:
        all_costs = {row.program.name: costs for row, costs in rows}
        print("\n".join((*means(list(all_costs.values())), *starved(all_costs))))
    if warnings:
        sys.exit(1)


if __name__ == "__main__":
    main()
