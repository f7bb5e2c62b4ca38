"""What ``run --check`` costs on the samples: CPU seconds of the checked programs, here and in another checkout.

python bench/check.py [OTHER]

With OTHER a row has our seconds, those of what OTHER emits under our checker, OTHER's own, and the two ratios to these:
the first also tells of what became of the kernels, the second of the checker alone.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from accache.cpu.build import build

HERE = Path(__file__).resolve().parents[1]
SIZES = {
    "gemm": "128", "histogram": "200000", "jacobi": "600", "lookup": "100000", "nbody": "1500", "records": "50000",
    "stencil": "100000", "strided": "200000", "transpose": "700", "write_dense": "200000", "write_sparse": "200000",
}  # fmt: skip
RUNS = 3
_BUILD = """
import sys
from pathlib import Path
from accache.base.options import Options
from accache.driver import translate
from accache.workflows.building import build_translation
source, folder = sys.argv[1:]
options = Options(line=True, preprocessor=("-DRADIUS=30",))
print(build_translation(translate(source, options), options, Path(folder), check=True).program.executable)
"""


def built(checkout: Path, sample: str, folder: Path) -> Path:
    """A sample, checked, as a checkout builds it."""
    command = [sys.executable, "-c", _BUILD, HERE / "samples" / f"{sample}.c", folder]
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    done = subprocess.run(command, env=environment, cwd=checkout, capture_output=True, text=True, check=True)
    return Path(done.stdout.split("\n")[-2])


def built_here(emitted: Path, folder: Path) -> Path:
    """The program of which another checkout left the two parts in a folder, with our checker."""
    texts = ((emitted / name).read_text(errors="surrogateescape") for name in ("program.cu", "program.c"))
    return build(*texts, folder, check=True).executable


def seconds(program: Path, arguments: str, folder: Path) -> float:
    """The least CPU time of several runs."""
    times = []
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        environment = {**os.environ, "ACCACHE_CPU_FINDINGS": str(folder / "findings"), "ACCACHE_CPU_SEED": "0"}
        subprocess.run([program, *arguments.split()], env=environment, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def main() -> None:
    """Print a row for each sample."""
    others = [Path(argument).resolve() for argument in sys.argv[1:2]]
    for sample, arguments in SIZES.items():
        with tempfile.TemporaryDirectory() as own, tempfile.TemporaryDirectory() as same:
            programs = [built(HERE, sample, Path(own))]
            for other in others:
                emitted = Path(own) / "other"
                emitted.mkdir()
                theirs = built(other, sample, emitted)
                programs += [built_here(emitted, Path(same)), theirs]
            row = [seconds(program, arguments, Path(own)) for program in programs]
        ratios = "".join(f"{value / row[2]:8.2f}" for value in row[:2]) if others else ""
        print(f"{sample:<14}{''.join(f'{value:8.2f}' for value in row)}{ratios}", flush=True)


if __name__ == "__main__":
    main()
