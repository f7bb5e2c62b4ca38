"""What method private moves from L2 to L1 for each byte that threads use: ``python bench/private.py``.

Each thread of one multiprocessor scans records of its own in some streams. The PTX machine traces the launch, and the
model of the L1 cache counts: with L1 alone, and with lines of 16 and of 32 bytes, whose shared memory is carved out of
L1. Before that samples/records.c, loads and stores. Needs nvcc and g++.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from cost.launches import ARCH, Variant, run_variant
from cost.memory import asked, shared_accesses
from cost.ptxas import resources

from accache.base.options import Options
from accache.driver import translate
from accache.ptx.execute import run
from accache.ptx.machine.link import link
from accache.ptx.machine.trace import Trace

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "samples" / "records.c"
TYPES = {1: "char", 2: "short", 4: "int", 8: "long long"}
RECORDS = {1: 640, 2: 576, 4: 544, 8: 528}  # odd numbers of L1's lines: threads' records spread over its sets
BLOCK = 256
WARP_RECORDS = 512 // 32 * 256  # of samples/records.c: warps times records of a thread
LAUNCHED = re.compile(r"launch (\w+_kernel) .* shared=(\d+) ")
PROGRAM = """
#include <stdlib.h>

static void scan({parameters}, long long *restrict out, int threads, int records)
{{
#pragma acc parallel loop vector_length({block}) copyin({arrays}) copyout(out[0:threads])
    for (int t = 0; t < threads; ++t) {{
        long long sum = 0;
#pragma acc loop seq
#pragma acc cache({names})
        for (int i = t * records; i < (t + 1) * records; ++i)
            sum += {terms};
        out[t] = sum;
    }}
}}

int main(int argc, char **argv)
{{
    int threads = atoi(argv[1]), records = atoi(argv[2]);
    size_t n = (size_t)threads * records;
    {allocated}
    long long *out = malloc(threads * sizeof *out);
    scan({names}, out, threads, records);
    return 0;
}}
"""


def main() -> None:
    """Print both tables."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--streams", type=_numbers, default=(1, 2, 4, 8), help="how many arrays a thread scans")
    options.add_argument("--bytes", type=_numbers, default=(1, 4, 8), help="of a record")
    options.add_argument("--threads", type=_numbers, default=(256, 512, 1024, 2048), help="of the multiprocessor")
    options.add_argument("--gpu", default="h100", help="whose L1 is modelled")
    options.add_argument("--no-sample", action="store_true", help="without samples/records.c")
    options.add_argument("--costs", action="store_true", help="what samples/records.c costs beside, alone")
    arguments = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.costs:
            costs(Path(folder))
            return
        if not arguments.no_sample:
            sample(Path(folder), arguments.gpu)
        columns = [f"{threads} threads" for threads in arguments.threads]
        _row("streams", "bytes", *columns)
        _row(*("---" for _ in range(2 + len(columns))))
        for size in arguments.bytes:
            for streams in arguments.streams:
                source = Path(folder, f"scan_{streams}_{size}.c")
                source.write_text(program(streams, size))
                kernels = [source, *(with_lines(source, line) for line in (16, 32))]
                cells = []
                for threads in arguments.threads:
                    words = (str(threads), str(RECORDS[size]))
                    cells.append(" / ".join(loads(kernel, words, arguments.gpu) for kernel in kernels))
                _row(str(streams), str(size), *cells)


def program(streams: int, size: int) -> str:
    """A program whose threads scan so many streams of records of so many bytes."""
    names = [f"s{number}" for number in range(streams)]
    ctype = TYPES[size]
    return PROGRAM.format(
        parameters=", ".join(f"const {ctype} *restrict {name}" for name in names),
        arrays=", ".join(f"{name}[0:threads*records]" for name in names),
        names=", ".join(names),
        terms=" + ".join(f"{name}[i]" for name in names),
        allocated="\n    ".join(f"{ctype} *{name} = calloc(n, sizeof *{name});" for name in names),
        block=BLOCK,
    )


def sample(folder: Path, gpu: str) -> None:
    """Print what samples/records.c moves by L1 alone, by lines, and by lines that threads monitor first."""
    _row("samples/records.c", "loads, L2 to L1", "stores")
    _row("---", "---", "---")
    kernels = {"L1 alone": SAMPLE}
    for calls in (0, 300):
        for line in (16, 32):
            monitored = f", {calls} calls monitored" if calls else ""
            kernels[f"{line}-byte lines{monitored}"] = with_lines(SAMPLE, line, calls, folder)
    for name, kernel in kernels.items():
        traffic = model(kernel, (), gpu)
        written = traffic["written"]
        _row(name, f"{traffic['from_l2'] / traffic['first']:.1f}", f"{traffic['stored'] / written:.1f}")


def costs(folder: Path) -> None:
    """Print what samples/records.c costs a thread beside its traffic: instructions, turns of the banks, registers."""
    _row("samples/records.c", "instructions a record", "shared accesses a record", "turns each", "registers", "spilled")
    _row(*("---" for _ in range(6)))
    plain = None
    for name, options in {
        "without lines": Options(method="none"),
        "16-byte lines": Options(method="private", private_line="16"),
        "32-byte lines": Options(method="private", private_line="32"),
        "16-byte lines, 300 calls monitored": Options(method="private", private_line="16", private_calls=300),
        "32-byte lines, 300 calls monitored": Options(method="private", private_line="32", private_calls=300),
    }.items():
        translation = translate(str(SAMPLE), options)
        own = folder / name.replace(" ", "_")
        own.mkdir()
        done = run_variant(Variant(SAMPLE, translation.device, translation.host, (), options), own)
        launch = next(done.launches()).launch
        recorder = Trace(shared=True)
        _, outcome = run(done.module, launch, trace=recorder, cores=1)
        records, program = recorder.records(), link(done.module, launch.kernel)
        shared = shared_accesses(records)
        turns = asked(records, outcome.arrivals, program, done.module, launch).turns
        each = int(outcome.arrivals.sum()) / WARP_RECORDS
        plain = plain or each
        known = resources(done.ptx, ARCH, own)[launch.kernel]
        _row(
            name,
            f"{each:.1f} ({each / plain:.2f} x)",
            f"{shared / WARP_RECORDS:.2f}",
            f"{turns / shared:.2f}" if shared else "",
            str(known.registers),
            str(known.spilled),
        )


def with_lines(source: Path, line: int, calls: int = 0, folder: Path | None = None) -> Path:
    """The CUDA program that method private makes of a program; with calls, threads monitor so many."""
    target = (folder or source.parent) / f"{source.stem}_{line}_{calls}.cu"
    sizes = ("--private-line", str(line), "--private-calls", str(calls))
    accache("translate", "-q", "--method", "private", *sizes, str(source), "-o", str(target))
    return target


def loads(program: Path, words: tuple[str, ...], gpu: str) -> str:
    """Bytes from L2 to L1 for each that is asked for."""
    traffic = model(program, words, gpu)
    return f"{traffic['from_l2'] / traffic['first']:.1f}"


def model(program: Path, words: tuple[str, ...], gpu: str) -> dict[str, Any]:
    """The traffic of the first launch; a kernel with lines leaves L1 what its shared memory does not take."""
    options = ["--gpu", gpu, "--traffic", "--json", *(("--args", " ".join(words)) if words else ())]
    if program.suffix == ".cu":
        launch = LAUNCHED.search(accache("run", "-q", str(program), "--", *words)[1])
        assert launch is not None
        options += ["--kernel", launch[1], "--shared-per-block", launch[2]]
    traffic: dict[str, Any] = json.loads(accache("model", "-q", str(program), *options)[0])["traffic"]
    return traffic


def accache(*words: str) -> tuple[str, str]:
    """What a command of accache prints, and what it tells of launches."""
    done = subprocess.run(
        [sys.executable, "-m", "accache", *words],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"ACCACHE_NOTIFY": "1"},
    )
    return done.stdout, done.stderr


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


def _row(*cells: str) -> None:
    print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
