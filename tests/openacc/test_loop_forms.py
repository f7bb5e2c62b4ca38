"""Loops that count up and down in all the ways C programs write them."""

from __future__ import annotations

import generate
from workshop import Workshop

from accache.options import Options

# low and high; the != loops would not end where low is above high
BOUNDS = (("3", "300"), ("0", "0"), ("5", "6"), ("0", "256"), ("0", "257"), ("1", "128"))


def test_every_form(workshop: Workshop) -> None:
    source = workshop.folder / "loop_forms.c"
    source.write_text(generate.loop_forms())
    for seed, bounds in enumerate(BOUNDS):
        workshop.same(source, Options(), bounds, seed=seed)
