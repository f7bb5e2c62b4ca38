"""Loops that count up and down in all the ways C programs write them."""

from __future__ import annotations

import generate
from workshop import Workshop

from accache.base.options import Options

# low and high; the != loops would not end where low is above high
BOUNDS = (("3", "300"), ("0", "0"), ("5", "6"), ("0", "256"), ("0", "257"), ("1", "128"))


def test_every_form(workshop: Workshop) -> None:
    source = workshop.folder / "loop_forms.c"
    source.write_text(generate.loop_forms())
    for seed, bounds in enumerate(BOUNDS):
        workshop.same(source, Options(), bounds, seed=seed)


def test_a_grid_that_no_gpu_launches_is_explained(workshop: Workshop) -> None:
    source = workshop.folder / "long_outer_loop.c"
    source.write_text(
        "int main(void)\n{\n    static char a[1500000][2];\n#pragma acc parallel loop collapse(2) copy(a)\n"
        "    for (int i = 0; i < 1500000; ++i)\n        for (int j = 0; j < 2; ++j)\n            a[i][j] = j;\n}\n"
    )
    result = workshop.run(source, Options(), check=False)
    assert result.returncode == 1
    assert "grid=(1,187500,1)" in result.stderr
    assert "let the longest loop be the inner one" in result.stderr


def test_a_tile_names_the_innermost_loop_first(workshop: Workshop) -> None:
    source = workshop.folder / "tiles.c"
    source.write_text(
        "static float a[512][512];\nvoid f(void)\n{\n#pragma acc parallel loop tile(32, 4)\n"
        "    for (int i = 0; i < 512; ++i)\n        for (int j = 0; j < 512; ++j)\n            a[i][j] = j;\n}\n"
    )
    (kernel,) = workshop.translation(source, Options()).report.kernels
    assert kernel.block[:2] == (32, 4)
