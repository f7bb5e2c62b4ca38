"""Between gang and vector loops one thread may run a statement with a cache region of its own inside."""

from __future__ import annotations

import shutil
from itertools import product
from pathlib import Path

import pytest
from families import some

from accache.base.options import Options
from accache.driver import translate
from accache.workflows.execution import run

PROGRAM = """
static int a[64], out[40], w[40 * 64];
int main(int argc, char **argv)
{
    int n = 40, flag = argc;
    for (int i = 0; i < 64; ++i)
        a[i] = i * i % 11;
#pragma acc parallel loop gang copyin(a) copy(out, w)
    for (int i = 0; i < n; ++i) {
        if (flag) {
#pragma acc cache(a[i:4])
            out[i] = a[i] + 2 * a[i + 1] + 3 * a[i + 2] + w[i * 64];
        }
#pragma acc loop vector
        for (int k = 0; k < 64; ++k)
            w[i * 64 + k] = k;
    }
    for (int i = 0; i < n; ++i)
        if (out[i] != a[i] + 2 * a[i + 1] + 3 * a[i + 2] || w[i * 64 + 63] != 63)
            return 1;
    return 0;
}
"""

OWNED = """
static int a[40], w[40][64], t[40], u[40];
int main(void)
{
    for (int i = 0; i < 40; ++i)
        a[i] = i;
#pragma acc parallel loop gang copyin(a) copy(w, t) copyout(u)
    for (int i = 0; i < 40; ++i) {
#pragma acc cache(t[i:1], a[i:1])
        t[i] = a[i] * 2;
        int s = t[i] + 1;
        t[i] += s;
#pragma acc loop vector
        for (int j = 0; j < 64; ++j)
            w[i][j] += s;
        u[i] = t[i];
    }
    for (int i = 0; i < 40; ++i)
        if (t[i] != 4 * i + 1 || u[i] != t[i] || w[i][63] != 2 * i + 1)
            return 1;
    return 0;
}
"""


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
@pytest.mark.parametrize(
    ("scope", "write"), some(product(["private", "communicating"], ["auto", "back", "through"]), 2, 1)
)
def test_one_thread_writes_back_what_it_wrote(write: str, scope: str, tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(OWNED)
    options = Options(method="rbc", write=write, scope=scope)
    result = run(translate(str(source), options), options, (), target="cpu", check=True, seed=1)
    assert (result.status, [str(item) for item in result.findings]) == (0, [])


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
@pytest.mark.parametrize(("method", "sharing"), some(product(["auto", "rbi", "rbc", "ehc"], [True, False]), 3))
def test_one_thread_has_a_tile_of_its_own(method: str, sharing: bool, tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(PROGRAM)
    options = Options(method=method, sharing=sharing)
    result = run(translate(str(source), options), options, (), target="cpu", check=True, seed=1)
    assert (result.status, [str(item) for item in result.findings]) == (0, [])
