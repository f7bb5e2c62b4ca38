"""What the NAS Parallel Benchmarks cost on the CPU beside plain gcc: ``python bench/npb.py FOLDER [CLASS]``.

FOLDER holds the benchmarks in C with OpenACC as the University of Houston wrote them, one folder a program
(CG/CG, ..., LU/LU-HP), each with config/make.def and sys/setparams; it is copied and stays as it is. Every program is
built by ``gcc -O3``, which ignores its directives, and by ``accache cc --target=cpu -O3``. It runs with both, verifies
its result each time, and the user CPU time of the best of a few rounds counts. CLASS is S if it is not given.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAMS = {name: f"{name}/{name}" for name in ("CG", "MG", "EP", "FT", "BT", "SP")} | {"LU": "LU/LU-HP"}
ROUNDS = 3
# EP's inline function has no other definition, which C asks for since 1999.
FLAGS = "-O3 -fgnu89-inline"
GCC = ("gcc", f"{FLAGS} -w", "-lm -lgomp")  # libgomp has acc_init and its kin
ACCACHE = (f"{sys.executable} -m accache cc --target=cpu -w", FLAGS, "-lm")
_VERIFIED = re.compile(r"Verification\s*=\s*SUCCESSFUL")


def build(folder: Path, program: str, letter: str, compiler: tuple[str, str, str]) -> Path:
    """The executable of a program, built in a copy of its sources."""
    name, flags, libraries = compiler
    place = folder / PROGRAMS[program]
    words = (f"CC={name}", f"CLINK={name}", f"CFLAGS={flags}", f"CLINKFLAGS={flags}", f"C_LIB={libraries}")
    done = subprocess.run(
        ("make", *words, "UCC=gcc", f"CLASS={letter}"), cwd=place, capture_output=True, text=True, check=False
    )
    executable = place / f"{program.lower()}.{letter}.x"
    if done.returncode or not executable.is_file():
        sys.exit(f"{program}: {name} does not build it\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return executable


def seconds(executable: Path) -> float:
    """The user CPU time of a run, the best of a few; the program must verify its result."""
    best = float("inf")
    for _ in range(ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run([executable], cwd=executable.parent, capture_output=True, text=True, check=False)
        best = min(best, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
        if done.returncode or not _VERIFIED.search(done.stdout):
            sys.exit(f"{executable.name}: exit status {done.returncode}, no verification\n{done.stdout[-2000:]}")
    return best


def main() -> None:
    """Print a line for each program, and one for all of them."""
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    source, letter = Path(sys.argv[1]), (sys.argv[2:] or ["S"])[0]
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    resource.setrlimit(resource.RLIMIT_STACK, (hard, hard))  # some programs keep their arrays there
    os.environ.pop("ACCACHE_CPU_SEED", None)
    print(f"class {letter}; user CPU seconds, best of {ROUNDS}\n{'':<6}{'accache':>9}{'gcc -O3':>9}{'ratio':>7}")
    sums = [0.0, 0.0]
    with tempfile.TemporaryDirectory() as name:
        copies = [Path(name) / kind for kind in ("accache", "gcc")]
        for copy in copies:
            shutil.copytree(source, copy, ignore=shutil.ignore_patterns(".git", "*.o", "*.x", "npbparams.h"))
        for program in PROGRAMS:
            pairs = zip(copies, (ACCACHE, GCC), strict=True)
            ours, theirs = (seconds(build(copy, program, letter, compiler)) for copy, compiler in pairs)
            sums = [sums[0] + ours, sums[1] + theirs]
            print(f"{program:<6}{ours:>9.3f}{theirs:>9.3f}{ours / max(theirs, 1e-3):>7.1f}", flush=True)
    print(f"{'all':<6}{sums[0]:>9.3f}{sums[1]:>9.3f}{sums[0] / sums[1]:>7.1f}")


if __name__ == "__main__":
    main()
