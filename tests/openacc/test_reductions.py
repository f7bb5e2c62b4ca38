"""Reductions by every operator at every level of parallelism."""

from __future__ import annotations

import generate
import pytest
from workshop import Workshop

from accache.options import Options


@pytest.mark.parametrize("level", generate.LEVELS)
def test_every_operator_on_every_element(level: str, workshop: Workshop) -> None:
    source = workshop.folder / f"array_reductions_{level}.c"
    source.write_text(generate.reductions(level, section="[0:3]" if level in ("unnamed", "vector") else ""))
    workshop.same(source, Options(), seed=1)


@pytest.mark.parametrize("level", generate.LEVELS)
def test_every_operator(level: str, workshop: Workshop) -> None:
    source = workshop.folder / f"reductions_{level}.c"
    source.write_text(generate.reductions(level))
    workshop.same(source, Options(), seed=1)
