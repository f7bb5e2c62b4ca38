"""Types that functions declare, in kernels and stubs that stand outside of them, in both forms of the output."""

from __future__ import annotations

from pathlib import Path

from workshop import Workshop

from accache.base.options import Options
from accache.cpu.build import build
from accache.cpu.run import run

PROGRAMS = Path(__file__).parent / "programs"
SOURCE = PROGRAMS / "local_types.c"


def test_the_joined_form_gives_the_sequential_result(workshop: Workshop, tmp_path: Path) -> None:
    joined = workshop.translation(SOURCE, Options()).joined
    assert joined is not None
    program = build(joined, None, tmp_path, include=(PROGRAMS,), optimise="-O1")
    result = run(program, ("100",), seed=1, workers=2, timeout=60)
    assert result.stdout == workshop.sequential(SOURCE, ("100",)), result.stderr


def test_each_type_has_one_name_in_the_kernels(workshop: Workshop) -> None:
    device = workshop.translation(SOURCE, Options()).device
    for declared in (
        "struct wide_points_point {",
        "struct narrow_points_point {",
        "struct inner_blocks_pair {",
        "struct inner_blocks_pair2 {",
        "struct limits_type {",
        " colours_BLUE = 7 ",
        "other_colours_BLUE = 1,",
    ):
        assert device.count(declared) == 1, declared
