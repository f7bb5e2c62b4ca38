"""How long ``accache model`` takes for large traces, whole process: ``python bench/l1.py [--depth 640]``.

It makes the traces of two kernels with 8192 threads that read ``2 * 8192 * depth`` times: gemm, whose warps ask for few
lines, and row, whose warps ask for 32 at a time. The first line is a cold start: machine code is not on disk yet. gemm
is also written as Accel-Sim's tracer writes it, once dealt out to all multiprocessors of a V100.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "l1"))

from launches import BASE, gemm, row  # the tests' kernels

from accache.l1.binary_traces import write_binary_trace
from accache.l1.text_traces import write_text
from accache.l1.trace import Trace

# the kernel's own count of the largest memory, since getrusage would tell that of this process if it is larger
PROGRAM = """
import sys
from accache.cli.main import main
main(sys.argv[1:], standalone_mode=False)
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")), file=sys.stderr)
"""
# runs another program from a process that is small itself
MEASURED = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss, file=sys.stderr)
"""
CLASSES = ("compulsory", "capacity", "associativity", "latency", "mshr", "hits")


def main() -> None:
    """Print one line for each trace and format: CPU seconds, memory, counts."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--depth", type=int, default=640, help="loads a thread, halved")
    options.add_argument("--published", metavar="COMMAND", help="another model to time, {trace} being a text trace")
    arguments = options.parse_args()
    depth = arguments.depth
    print(f"{'trace':<10}{'format':<9}{'MB':>6}{'CPU s':>8}{'peak MB':>9}  {' + '.join(CLASSES)}")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ACCACHE_CACHE_DIR"] = str(Path(folder, "cache"))
        small = _text(Path(folder, "small.trc"), gemm(1))
        report("cold", small)
        report("warm", small)
        kernels: tuple[tuple[str, Callable[[int], Trace]], ...] = (("gemm", gemm), ("row", row))
        for name, kernel in kernels:
            trace = kernel(depth)
            report(name, _binary(Path(folder, f"{name}.npz"), trace))
            text = _text(Path(folder, f"{name}.trc"), trace)
            report(name, text)
            if arguments.published:
                report_other(name, text, arguments.published)
        traced = _accel_sim(Path(folder, "gemm.traceg"), depth)
        report("gemm", traced)
        report("dealt", traced, "--gpu", "v100")


def report(name: str, trace: Path, *options: str) -> None:
    """Run the model on a trace in a process of its own and print what that took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", PROGRAM, "model", "--trace", trace, "--mode", "reference", "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    counts = json.loads(done.stdout)
    peak = int(done.stderr.split()[-1]) / 1024
    size = trace.stat().st_size / 1e6
    row_of_counts = " + ".join(str(counts[kind]) for kind in CLASSES)
    print(f"{name:<10}{trace.suffix:<9}{size:>6.0f}{seconds:>8.2f}{peak:>9.0f}  {row_of_counts}", flush=True)


def report_other(name: str, trace: Path, command: str) -> None:
    """Run another program on a text trace, and print the CPU seconds and the memory of the largest of its processes."""
    words = [word.format(trace=trace) for word in shlex.split(command)]
    done = subprocess.run([sys.executable, "-c", MEASURED, *words], stderr=subprocess.PIPE, text=True, check=True)
    seconds, peak = map(float, done.stderr.split()[-2:])
    print(f"{name:<10}{'other':<9}{trace.stat().st_size / 1e6:>6.0f}{seconds:>8.2f}{peak / 1024:>9.0f}", flush=True)


def _binary(path: Path, trace: Trace) -> Path:
    with path.open("wb") as stream:
        write_binary_trace(trace, stream)
    return path


def _accel_sim(path: Path, depth: int) -> Path:
    """Make gemm a trace of a whole launch, a line for each instruction of a warp: its lanes share a[i][k]."""
    with path.open("w") as stream:
        stream.write("-kernel name = gemm\n-grid dim = (32,1,1)\n-block dim = (256,1,1)\n\n")
        for warp in range(256):
            i, j = 32 * warp // 512, 32 * warp % 512
            stream.write(f"thread block = {warp // 8},0,0\nwarp = {warp % 8}\ninsts = {2 * depth}\n")
            for k in range(depth):
                a, b = 4 * (i * depth + k), (1 << 26) + 4 * (512 * k + j)
                stream.write(f"0010 ffffffff 1 R4 LDG.E 1 R2 4 1 {BASE + a:#x} 0\n")
                stream.write(f"0020 ffffffff 1 R5 LDG.E 1 R3 4 1 {BASE + b:#x} 4\n")
    return path


def _text(path: Path, trace: Trace) -> Path:
    path.write_text(write_text(trace))
    return path


if __name__ == "__main__":
    main()
