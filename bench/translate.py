"""What translating costs beside gcc -fopenacc, and accache cc beside nvcc: ``python bench/translate.py``."""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LINES = (100, 1000, 10_000)
ROUNDS = 3
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
CALLS = "    smooth_{0}(a, b, 64);\n" + "".join(f'    count_{{0}}_{k}(a, 64, "a");\n' for k in range(4))


def program(lines: int) -> str:
    """A program of about so many lines: a construct and four functions for the host, again and again."""
    parts = 0
    text = HEAD
    while text.count("\n") + 6 + 5 * parts < lines:
        text += KERNELS.format(parts) + "".join(HOST.format(parts, k) for k in range(4))
        parts += 1
    calls = "".join(CALLS.format(k) for k in range(parts))
    return text + f"\nint main(void)\n{{\n    float a[64] = {{0}}, b[64] = {{0}};\n{calls}    return 0;\n}}\n"


def seconds(*command: str | Path) -> float:
    """CPU time of a command and of what it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
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
    """Print what accache cc takes for a changed and for an unchanged file of 200 lines, and nvcc for its .cu."""
    source, target = folder / "lines200.c", folder / "lines200.o"
    command = (sys.executable, "-m", "accache", "cc", "-c", source, "-o", target)
    changed, unchanged, nvcc = [], [], []
    for number in range(ROUNDS):
        source.write_text(f"{program(200)}/* {number} */\n")
        time.sleep(0.1)  # what is younger than a call is not kept
        changed.append(seconds(*command))
        unchanged.append(seconds(*command))
        if shutil.which("nvcc"):
            device = folder / "lines200.cu"
            subprocess.run((*command[:3], "translate", "-q", source, "-o", device), check=True)
            nvcc.append(seconds("nvcc", "-c", device, "-o", target))
    print(f"accache cc, 200 lines: changed {min(changed):.2f}, unchanged {min(unchanged):.3f}", end="")
    print(f"; nvcc for the .cu {min(nvcc):.2f}" if nvcc else "; no nvcc here")


if __name__ == "__main__":
    main()
