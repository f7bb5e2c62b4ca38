"""``accache run`` links what it is told to."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from commands import accache

PROGRAM = """#include <stdio.h>
#ifdef _OPENMP
#include <omp.h>
#endif
int seven(void);
int main(void)
{
    int a[4], threads = 0;
#pragma acc parallel loop copyout(a)
    for (int i = 0; i < 4; ++i)
        a[i] = i;
#ifdef _OPENMP
    threads = omp_get_wtime() > 0;
#endif
    printf("%d %d %d\\n", a[3], seven(), threads);
    return 0;
}
"""


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
def test_libraries_and_openmp(tmp_path: Path) -> None:
    (tmp_path / "seven.c").write_text("int seven(void) { return 7; }\n")
    (tmp_path / "a.c").write_text(PROGRAM)
    subprocess.run(["gcc", "-c", "seven.c", "-o", "seven.o"], cwd=tmp_path, check=True)
    subprocess.run(["ar", "rc", "libseven.a", "seven.o"], cwd=tmp_path, check=True)
    words = ("run", "-q", "a.c", "-L", tmp_path, "-lseven", "-lm")
    for more, expected in (([], "3 7 0\n"), (["-fopenmp"], "3 7 1\n"), (["-fopenmp", "--check"], "3 7 1\n")):
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(Path.home())}
        done = accache(*words, *more, folder=tmp_path, environment=environment)
        assert (done.returncode, done.stdout) == (0, expected), done.stderr
