"""Values that threads without an iteration do not have are not copied by them."""

from __future__ import annotations

from pathlib import Path

from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
void f(int n, unsigned *restrict out, const unsigned *restrict a)
{
#pragma acc parallel loop gang vector copyin(a[0:n]) copy(out[0:n])
    for (int i = 0; i < n; ++i) {
        unsigned loaded = a[i];
        {
#pragma acc cache(readonly: a[i:1])
            out[i] += a[i];
        }
        unsigned next = loaded + 1, four = i + 4;
        {
#pragma acc cache(readonly: a[i:1])
            out[i] += a[i] + next + four;
        }
    }
}
"""


def test_what_uses_a_loaded_value_is_computed_under_the_guard(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(PROGRAM)
    device = translate(str(source), Options(method="rbi", tune="off")).device
    assert "unsigned next;\n" in device
    assert "    if (active)\n        next = loaded + 1;\n" in device
    assert "unsigned four = i + 4;\n" in device
