"""The start that one thread writes for the block is computed in its own type, as the other threads would do it."""

from __future__ import annotations

from pathlib import Path

from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
void f(const int *restrict a, int *restrict r, unsigned n)
{
#pragma acc parallel loop copyin(a[0:n]) copyout(r[0:n])
    for (unsigned i = 0; i < n; ++i) {
        unsigned long z = (unsigned long)i - 3;
#pragma acc cache(a[z:3])
        r[i] = i > 2 ? a[z] + a[z + 1] : 0;
    }
}
"""


def test_a_wide_start_below_zero(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(PROGRAM)
    device = translate(str(source), Options("rbi", scope="communicating")).device
    assert "__shared__ long long a_start;" in device
    assert "a_start = (long long)i - 3;" in device
