"""The GPU run: ``python bench/gpu [--dry] [--folder DIR] [--limit SECONDS] [--only NAME] STAGE...``.

Stages: build (all executables, into DIR/programs), predictions (of bench/cost), correctness (samples by all methods,
kernels, and the tests' programs), times (of kernels, by CUDA events), counters (Nsight Compute's), microbenchmarks (of
L1, and of bypassing it), plots. Each writes its results into DIR after every case, and goes on there where it was cut
off. The first two need no GPU: with ``--arch`` they prepare DIR on a machine that has none. ``--dry`` does all of it on
this machine's CPU, with small sizes. The exit status is 1 if a program was wrong or could not be built.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from gpu import correctness, counters, microbenchmarks, times
from gpu.building import build
from gpu.plots import plot
from gpu.results import describe_machine, read
from gpu.summary import summarise
from gpu.targets import Cpu, Gpu
from gpu.workshop import Workshop

STAGES = {
    "build": build,
    "predictions": counters.predict,
    "correctness": correctness.check,
    "times": times.measure,
    "counters": counters.count,
    "microbenchmarks": microbenchmarks.measure,
}


def main() -> int:
    """Run the stages that the command line names; the exit status."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("stages", nargs="+", choices=[*STAGES, "plots"])
    options.add_argument("--arch", default="", help="the architecture to build for, if not that of this machine's GPU")
    options.add_argument("--dry", action="store_true", help="on this machine's CPU")
    options.add_argument("--folder", type=Path, default=Path("build/gpu"), help="where results are written")
    options.add_argument("--limit", type=float, default=520, help="seconds after which a stage begins no case")
    options.add_argument("--only", action="append", default=[], metavar="NAME", help="this program; may be repeated")
    options.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many programs are built at a time")
    chosen = options.parse_args()
    target = Cpu() if chosen.dry else Gpu(chosen.arch)
    is_run = not set(chosen.stages) <= {"build", "predictions", "plots"}
    if not target.gpu and (is_run or ("build" in chosen.stages and not chosen.arch)):
        options.error("nvidia-smi finds no GPU; --dry runs all of it on this CPU, --arch builds for one elsewhere")
    chosen.folder.mkdir(parents=True, exist_ok=True)
    if is_run:
        machine = describe_machine(target.name, target.gpu)
        (chosen.folder / "machine.json").write_text(json.dumps(machine, indent=2) + "\n")
    for stage in chosen.stages:
        if stage == "plots":
            summarise(chosen.folder)
            plot(chosen.folder)
        else:
            workshop = Workshop(target, chosen.folder, chosen.jobs, time.monotonic() + chosen.limit)
            STAGES[stage](workshop, tuple(chosen.only))
    return int(failures(chosen.folder))


def failures(folder: Path) -> bool:
    """Print what went wrong in any stage; whether anything did."""
    wrong = [
        f"{stage}: {record['case']}: {record.get('failed') or record.get('reason')}"
        for stage in STAGES
        for record in read(folder, stage)
        if "failed" in record or record.get("right") is False
    ]
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
