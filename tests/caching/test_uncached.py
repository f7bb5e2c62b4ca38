"""Kernels as the program without cache directives has them."""

from __future__ import annotations

from pathlib import Path

from accache.base.options import Options
from accache.driver import translate

COUNTS = """
void f(int n, unsigned *restrict counts, const int *restrict a)
{
#pragma acc kernels loop independent copyin(a[0:n + 2]) copy(counts[0:64])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:3])
#pragma acc atomic
        counts[a[i] % 64u] += a[i + 1];
#pragma acc atomic
        counts[a[i + 1] % 64u] += a[i + 2];
    }
}
"""


def test_a_kernel_that_directives_map_in_another_way_is_coarsened_without_them(tmp_path: Path) -> None:
    """Without the directive each block counts in a copy of its own, and the kernel begins at another line."""
    path = tmp_path / "counts.c"
    path.write_text(COUNTS)
    device = translate(str(path), Options(method="none", coarsen="4x2", runtime=False)).device
    assert "i_base" in device
    path.write_text(COUNTS.replace("#pragma acc cache(a[i:3])\n", ""))
    assert "f_L4_kernel" in translate(str(path), Options(runtime=False)).device
    assert "f_L5_kernel" in device
