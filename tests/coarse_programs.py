"""Programs of rows and columns, and what is emitted for threads with several iterations."""

from __future__ import annotations

from pathlib import Path

from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
{function}
int main(int argc, char **argv)
{{
    int n = atoi(argv[1]), m = atoi(argv[2]), seed = atoi(argv[3]);
    float *a = malloc(sizeof(float) * (n*m + m)), *b = malloc(sizeof(float) * (n*m + 1)), w[9];
    for (int i = 0; i < n*m + m; ++i)
        a[i] = (i * 7 + seed) % 11 - 4;
    for (int i = 0; i < n*m; ++i)
        b[i] = i % 5;
    for (int i = 0; i < 9; ++i)
        w[i] = i - 3;
    {name}_f(n, m, a, w, b);
    for (int i = 0; i < n*m; ++i)
        printf("%g%c", b[i], i % m == m - 1 ? '\\n' : ' ');
    return 0;
}}
"""
SIZES = ((3, 3), (6, 34), (7, 35), (11, 130), (34, 37), (19, 67))


def kernel(folder: Path, text: str, factors: str) -> str:
    """The kernel of a function whose threads have so many iterations, without lines that only unroll."""
    path = folder / "a.c"
    path.write_text(text)
    text = translate(str(path), Options(runtime=False, coarsen=factors, wide="off")).device
    body = text[text.index("_kernel(") :].partition("\n}")[0]
    return "\n".join(line for line in body.splitlines() if "#pragma unroll" not in line)


def full_path(found: str) -> str:
    """What threads with all their iterations do."""
    return found.partition("} else {")[0]
