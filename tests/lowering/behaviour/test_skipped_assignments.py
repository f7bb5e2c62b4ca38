"""Threads without an iteration skip its statements, so what these assign is not the same for all."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate
from accache.workflows.execution import run

PROGRAM = """
int printf(const char *format, ...);
static int a[16] = {3, 1, 4, 1, 5, 9, 2, 6}, out[300];
int main(int argc, char **argv)
{
    int n = 129;
#pragma acc parallel loop copyin(a) copy(out[0:n])
    for (int i = 0; i < n; ++i) {
        int limit = a[3] * 7;
        if (a[2] < limit) {
#pragma acc cache(a[2:4])
            out[i] += a[2] + a[3] + a[4] + a[5];
        }
    }
    for (int i = 0; i < n; ++i)
        if (out[i] != 19)
            return 1;
    return 0;
}
"""


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
@pytest.mark.parametrize("method", ["auto", "rbi"])
def test_no_barrier_stands_behind_a_condition_on_one(method: str, tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(PROGRAM)
    options = Options(method=method)
    translation = translate(str(source), options)
    kernels = translation.device[translation.device.index("__launch_bounds__") :]
    assert "__syncthreads" not in kernels.partition("\n}\n")[0]
    result = run(translation, options, (), target="cpu", check=True, seed=1)
    assert (result.status, [str(item) for item in result.findings]) == (0, [])
