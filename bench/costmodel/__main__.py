"""The cost model held against measured GPUs: ``python bench/costmodel HUB [--kernel NAME] [--sample N] [--json FILE]``.

HUB is a copy of benchmark_hub (github.com/AutoTuningAssociation/benchmark_hub), which has run times of all
configurations of a convolution and of a dedispersion on an A100, an A4000 and an A6000; nothing of it is in this
repository. Of each configuration one block is compiled and executed here, and one of each kind that passes an edge of
the problem; bench/cost's roofline makes clocks of their counts: as it is, and with units that it takes for enough (for
FMA, conversions, loads and stores) and the memory behind L2. Multiprocessors take blocks as they end others. For each
GPU that prints Spearman's correlation of clocks and run times, the share of the best speed that the configuration of
the least clocks has, and whether shared memory pays, as estimated and as measured. Needs nvcc and g++; counts are kept.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from costmodel.estimate import Blocks, clocks, counts
from costmodel.hub import GPUS, Timed, timed
from costmodel.kernels import KERNELS, Kernel, outputs
from costmodel.summary import LEAST_CORRELATION, LEAST_SHARE, Estimated, agreement, go

MODELS = {"as bench/cost has it": False, "with its units": True}


def main() -> None:
    """Estimate, print, and write what is asked for."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("hub", type=Path, metavar="HUB", help="the folder of benchmark_hub")
    options.add_argument("--kernel", choices=[kernel.name for kernel in KERNELS], action="append")
    options.add_argument("--sample", type=int, default=0, metavar="N", help="so many configurations, drawn by chance")
    options.add_argument("--outputs", type=int, metavar="N", help="those alone whose blocks compute at most so many")
    options.add_argument("--seed", type=int, default=1, help="of the drawing")
    options.add_argument("--jobs", type=int, default=1, help="how many at a time")
    options.add_argument("--json", type=Path, metavar="FILE", help="all estimates and times")
    chosen = options.parse_args()
    records = []
    for kernel in KERNELS:
        if not chosen.kernel or kernel.name in chosen.kernel:
            records += _of_kernel(kernel, chosen)
    if chosen.json is not None:
        chosen.json.write_text(json.dumps(records, indent=1) + "\n")


def _of_kernel(kernel: Kernel, chosen: argparse.Namespace) -> list[dict[str, object]]:
    """Print the table of a kernel; its records."""
    known = {gpu: timed(chosen.hub, kernel.name, gpu) for gpu in GPUS}
    configurations = [each for each in known[GPUS[0]] if not chosen.outputs or outputs(each.values) <= chosen.outputs]
    random.Random(chosen.seed).shuffle(configurations)
    configurations = configurations[: chosen.sample or None]
    with ProcessPoolExecutor(chosen.jobs) as pool:
        found = list(pool.map(partial(_counted, kernel, chosen.hub), configurations))
    counted = {
        _key(each.values): each_found for each, each_found in zip(configurations, found, strict=True) if each_found
    }
    print(f"{kernel.name}: {len(counted)} configurations, {len(found) - len(counted)} that nvcc rejects\n")
    print("| GPU | model | configurations | correlation | chosen / best, % | shared memory: estimated, measured |")
    print("| --- | --- | --- | --- | --- | --- |")
    records: list[dict[str, object]] = []
    for gpu in GPUS:
        for name, units in MODELS.items():
            rows = [
                (each, _estimated(kernel, each, counted[_key(each.values)], gpu, units=units))
                for each in known[gpu]
                if _key(each.values) in counted
            ]
            _print(kernel, gpu, name, rows)
            records += [
                {"kernel": kernel.name, "gpu": gpu, "model": name, **each.values, **asdict(row)} for each, row in rows
            ]
    if kernel.switch:
        print("\n".join(("", *_fastest(kernel, known))))
    print(f"\ngoals: a correlation of {LEAST_CORRELATION}, {LEAST_SHARE:.0f} %", flush=True)
    return records


def _counted(kernel: Kernel, hub: Path, configuration: Timed) -> tuple[Blocks, ...] | None:
    """The counts of a configuration; None where nvcc rejects it."""
    try:
        return counts(kernel, hub, configuration)
    except subprocess.CalledProcessError:
        return None


def _key(values: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(values.items())


def _estimated(kernel: Kernel, each: Timed, found: Sequence[Blocks], gpu: str, *, units: bool) -> Estimated:
    is_shared = bool(each.values[kernel.switch]) if kernel.switch else None
    return Estimated(clocks(kernel, found, gpu, each.values, units=units), each.milliseconds, is_shared)


def _print(kernel: Kernel, gpu: str, model: str, rows: Sequence[tuple[Timed, Estimated]]) -> None:
    """One line for all configurations, and one each for parts of them that tell what the model lacks."""
    parts = {
        "all": [row for _, row in rows],
        "with shared memory": [row for _, row in rows if row.is_shared],
        "plain loads": [row for each, row in rows if kernel.way and not each.values[kernel.way]],
    }
    for what, part in parts.items():
        agreed, pays = agreement(part), go(part)
        if agreed is not None and (what == "all" or len(part) < len(rows)):
            told = f"{_word(pays.estimated)}, {_word(pays.measured)} ({pays.ratio:.2f} times)" if pays else "-"
            numbers = f"{agreed.correlation:.2f} | {agreed.share:.0f}"
            print(f"| {gpu} | {model} | {what}: {agreed.count} | {numbers} | {told} |")


def _fastest(kernel: Kernel, known: Mapping[str, Sequence[Timed]]) -> Iterator[str]:
    """The measured times of the fastest configurations, by the ways of loads, with shared memory and without."""
    yield f"| fastest of all, ms | {kernel.way} | {kernel.switch}=1 | {kernel.switch}=0 |"
    yield "| --- | --- | --- | --- |"
    for gpu, rows in known.items():
        for way in (0, 1):
            times = (
                [
                    each.milliseconds
                    for each in rows
                    if (each.values[kernel.way], each.values[kernel.switch]) == (way, on)
                ]
                for on in (1, 0)
            )
            yield f"| {gpu} | {way} | {' | '.join(f'{min(found):.3f}' if found else '-' for found in times)} |"


def _word(pays: bool) -> str:
    return "go" if pays else "no-go"


if __name__ == "__main__":
    main()
