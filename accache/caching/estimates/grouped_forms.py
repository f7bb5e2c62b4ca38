"""Kernels whose sequential loops go through neighbouring elements in groups, with one access for each group."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from accache.caching.estimates.coarse_forms import Coarse, fewest_blocks_of, layouts_of
from accache.caching.estimates.wide_accesses import WideAccesses
from accache.caching.survey import Survey
from accache.ir.kernels.alignment import MOST, Alignment
from accache.ir.polynomial import Polynomial
from accache.mapping.blocks import Outputs
from accache.mapping.coarsening.grouped_loops import with_groups_of_threads
from accache.mapping.loops.joined_chunks import with_joined_chunks
from accache.mapping.mapped import MappedKernel

COUNTS = (MOST // 2, MOST)
WORTH_JOINING = 0.5
"""The part of the clocks that must be left for loops over chunks to be joined. Tiles may hold chunks, which all
iterations of a thread have in common then; less is saved in that way, in launches with rows of any length."""


def coarse_in_groups(plain: MappedKernel, outputs: Outputs, fast_math: bool) -> Iterator[Coarse]:
    """The kernel with so many iterations a thread, whose sequential loops take two, and four, rounds at a time."""
    for count in COUNTS:
        found, lengths = with_groups_of_threads(plain, count)
        survey = Survey(found, fast_math)
        multiples = needed_multiples(survey, lengths, count)
        if multiples is None:
            continue
        for item in layouts_of(survey, outputs, joins=True):
            alignment = with_multiples(item.kernel.alignment, multiples)
            if alignment:
                kernel = replace(item.kernel, alignment=alignment)
                yield replace(item, kernel=kernel, fewest_blocks=fewest_blocks_of(plain, kernel, fast_math))


def coarse_in_joined_chunks(plain: MappedKernel, outputs: Outputs, fast_math: bool) -> Iterator[Coarse]:
    """The same without loops over chunks; nothing if the kernel has none."""
    body = with_joined_chunks(plain.body)
    if body is not plain.body:
        yield from coarse_in_groups(replace(plain, body=body), outputs, fast_math)


def needed_multiples(survey: Survey, lengths: tuple[Polynomial, ...], count: int) -> dict[str, int] | None:
    """The numbers that must be multiples of ``count`` for some lengths to be; None if that is not all."""
    found: dict[str, int] = {}
    for length in lengths:
        rest = WideAccesses(survey, {}).offset(length, count)
        if rest is None or rest[0]:
            return None
        found |= dict.fromkeys(rest[1], count)
    return found if lengths else None


def with_multiples(alignment: Alignment, multiples: dict[str, int]) -> Alignment:
    """What a launch has to make sure of if numbers have to be multiples, too."""
    both = {**multiples, **{name: max(n, multiples.get(name, 1)) for name, n in alignment.multiples}}
    return Alignment(alignment.arrays, tuple(sorted(both.items())))
