"""What translating costs beside gcc -fopenacc, and accache cc beside nvcc: ``python bench/translate.py``.

A file is changed by a comment at its end: it is translated anew, and its host part compiled, while the kernels' object
is kept from the round before, which is not counted. So what accache cc takes is all its own but for gcc's part. Its
constructs are kept; all but one of several in the column "edited"; none in the column "anew", as if all had changed.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LINES = (100, 1000, 10_000)
ROUNDS = 3
CALLS = 8
"""Rounds of calls of the compiler: they are short, and other work on the machine disturbs them more."""
SAMPLES = ("gemm.c", "nbody.c")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""Python keeps bytecode, as it does wherever accache is installed."""
HEAD = "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
KERNELS = """
static void smooth_{0}(float *restrict a, const float *restrict b, int n)
{{
#pragma acc parallel loop copyin(b[0:n]) copyout(a[0:n])
    for (int i = 2; i < n - 2; ++i) {{
#pragma acc cache(b[i - 2:5])
        a[i] = (b[i - 2] + b[i - 1] + b[i] + b[i + 1] + b[i + 2]) / 5;
    }}
}}
"""
HOST = """
static int count_{0}_{1}(const float *a, int n, const char *name)
{{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < n; ++i) {{
        if (a[i] > 0.5f) {{
            sum += a[i] * 2.0;
            ++count;
        }} else if (fabs(a[i]) < 1e-3) {{
            sum -= sqrt(a[i] + 1.0);
        }}
    }}
    printf("%s: %d elements, sum %g\\n", name, count, sum);
    return count > n / 2 ? (int)sum : count;
}}
"""
USES = "    smooth_{0}(a, b, 64);\n" + "".join(f'    count_{{0}}_{k}(a, 64, "a");\n' for k in range(4))


def program(lines: int) -> str:
    """A program of about so many lines: a construct and four functions for the host, again and again."""
    parts = 0
    text = HEAD
    while text.count("\n") + 6 + 5 * parts < lines:
        text += KERNELS.format(parts) + "".join(HOST.format(parts, k) for k in range(4))
        parts += 1
    calls = "".join(USES.format(k) for k in range(parts))
    return text + f"\nint main(void)\n{{\n    float a[64] = {{0}}, b[64] = {{0}};\n{calls}    return 0;\n}}\n"


def seconds(*command: str | Path, cache: Path | None = None) -> float:
    """CPU time of a command and of what it starts; what it keeps it keeps in ``cache``, if that is given."""
    environment = {**ENVIRONMENT, **({"ACCACHE_CACHE_DIR": str(cache)} if cache is not None else {})}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print a line for each size; both programs by turns, the best of a few rounds."""
    print(f"CPU seconds, best of {ROUNDS}")
    print(f"{'lines':>8}{'translate':>11}{'gcc -O2':>9}{'ratio':>7}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for lines in LINES:
            source = folder / f"lines{lines}.c"
            source.write_text(program(lines))
            ours = (sys.executable, "-m", "accache", "translate", "-q", "--split", "-o", folder / "out", source)
            theirs = ("gcc", "-fopenacc", "-O2", "-c", source, "-o", folder / "out.o")
            pairs = [(seconds(*ours), seconds(*theirs)) for _ in range(ROUNDS)]
            mine, other = (min(pair[k] for pair in pairs) for k in (0, 1))
            print(f"{source.read_text().count(chr(10)):>8}{mine:>11.2f}{other:>9.2f}{mine / other:>7.2f}")
        compiler(folder)


def compiler(folder: Path) -> None:
    """Print what accache cc takes for changed and for unchanged files, and nvcc for their .cu."""
    samples = Path(__file__).parents[1] / "samples"
    texts = {"200 lines": program(200), **{name: (samples / name).read_text() for name in SAMPLES}}
    print(f"\nCPU seconds, best of {CALLS}")
    print(f"{'accache cc -c':<16}{'changed':>8}{'edited':>8}{'anew':>7}{'nvcc':>7}{'ratio':>7}{'unchanged':>11}")
    cache = folder / "cache"
    constructs = cache / "constructs"
    for title, text in texts.items():
        source, target = folder / "changed.c", folder / "changed.o"
        command = (sys.executable, "-m", "accache", "cc", "--accache-quiet", "-c", source, "-o", target)
        changed, edited, anew, unchanged, nvcc = [], [], [], [], []
        for number in range(1 + CALLS):
            source.write_text(f"{text}/* anew {number} */\n")
            shutil.rmtree(constructs, ignore_errors=True)
            anew.append(seconds(*command, cache=cache))
            kept = (path for path in constructs.rglob("*") if path.is_file())
            max(kept, key=lambda path: path.stat().st_size).unlink()  # the banner is shorter than any construct
            source.write_text(f"{text}/* edited {number} */\n")
            edited.append(seconds(*command, cache=cache))
            source.write_text(f"{text}/* {number} */\n")
            time.sleep(0.1)  # what is younger than a call is not kept
            changed.append(seconds(*command, cache=cache))
            unchanged.append(seconds(*command, cache=cache))
            if shutil.which("nvcc") and number:
                device = folder / "changed.cu"
                subprocess.run((*command[:3], "translate", "-q", source, "-o", device), check=True, env=ENVIRONMENT)
                nvcc.append(seconds("nvcc", "-c", device, "-o", target))
        mine, again = min(changed[1:]), min(unchanged[1:])
        planned, one = min(anew[1:]), min(edited[1:])
        others = f"{min(nvcc):>7.2f}{mine / min(nvcc):>7.2f}" if nvcc else f"{'-':>7}{'-':>7}"
        print(f"{title:<16}{mine:>8.2f}{one:>8.2f}{planned:>7.2f}{others}{again:>11.3f}")


if __name__ == "__main__":
    main()
