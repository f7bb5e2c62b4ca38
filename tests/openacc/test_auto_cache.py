"""The programs without their cache directives, under ``--auto-cache``: they print what the sequential ones print."""

from __future__ import annotations

import pytest
from test_constructs_run import LIKE_SEQUENTIAL, PROGRAMS
from workshop import Workshop

from accache.base.options import Options
from accache.workflows.without_directives import without_cache_directives

FEW = ("between_loops", "constant_trips", "level_routines")
"""The programs of the default run."""
ALL = [pytest.param(name, marks=() if name in FEW else pytest.mark.matrix) for name in LIKE_SEQUENTIAL]


@pytest.mark.parametrize("name", ALL)
def test_programs_without_directives(name: str, workshop: Workshop) -> None:
    source = workshop.folder / f"{name}_bare.c"
    source.write_bytes(
        without_cache_directives((PROGRAMS / f"{name}.c").read_bytes().decode("latin-1")).encode("latin-1")
    )
    arguments = LIKE_SEQUENTIAL[name]
    for options in (Options(auto_cache=True, coarsen="off"), Options(auto_cache=True, method="rbc")):
        translation = workshop.translation(source, options)
        assert not any(found.code.startswith("ACC4") for found in translation.diagnostics)
        workshop.same(source, options, arguments[:1], seed=1)
        for number, argument in enumerate(arguments[1:]):
            workshop.same(source, options, (argument,), seed=number)
