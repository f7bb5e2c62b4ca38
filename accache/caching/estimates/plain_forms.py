"""Kernels without tiles whose threads have one iteration at a time: where accesses of neighbouring elements are joined.

Threads that walk through elements of their own, such as a row, access several at once; so do lanes that share a loop,
if they take neighbouring iterations.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from accache.base.options import Options
from accache.caching.estimates.candidates import Candidate, of_tiles
from accache.caching.estimates.coarse_choice import WORTH_UNASKED
from accache.caching.estimates.cost import Cost
from accache.caching.estimates.grouped_forms import COUNTS, WORTH_JOINING, needed_multiples, with_multiples
from accache.caching.estimates.kernel_cost import iterations_a_warp, joined_cost, kernel_cost
from accache.caching.survey import Survey
from accache.caching.uncached import plain_kernel, without_directives
from accache.ir.tree import Atomic
from accache.ir.walk import nodes_of, remembered
from accache.mapping.coarsening.grouped_loops import with_groups_of_lanes, with_groups_of_threads
from accache.mapping.loops.joined_chunks import with_joined_chunks
from accache.mapping.mapped import MappedKernel


class PlainForm(Struct, frozen=True):
    """A kernel without tiles, and what it costs.

    Launches whose arrays are not aligned take the ``unaligned`` one, or, if there is none, the same without wide
    accesses.
    """

    kernel: MappedKernel
    cost: Cost
    unaligned: MappedKernel | None = None


def plain_candidate(kernel: MappedKernel, options: Options) -> Candidate:
    """The kernel without tiles whose threads have one iteration each, and what it takes for a warp's work."""
    plain = plain_kernel(kernel)
    body = without_directives(plain.body)
    form = plain_form(plain if body is plain.body else replace(plain, body=body), options)
    return of_tiles(form.kernel, form.cost.times(iterations_a_warp(kernel) / iterations_a_warp(plain)), ())


def plain_form(kernel: MappedKernel, options: Options) -> PlainForm:
    """A kernel without tiles and directives, with accesses of neighbouring elements joined where that pays.

    None are where the user did not leave all choices to accache. Several decisions ask for the form of one kernel.
    """
    known = _known_forms(kernel)
    if options not in known:
        known[options] = _plain_form(kernel, options)
    return known[options]


@remembered
def _known_forms(_: MappedKernel) -> dict[Options, PlainForm]:
    """The forms of a kernel that were asked for."""
    return {}


def _plain_form(kernel: MappedKernel, options: Options) -> PlainForm:
    usual = PlainForm(kernel, kernel_cost(Survey(kernel, options.fast_math), kernel.body, ()))
    is_ours = options.chooses_method and (options.tune, options.coarsen) == ("model", "auto")
    has_another = kernel.is_routine or kernel.shape.threads == 1
    if not is_ours or options.wide == "off" or has_another or any(nodes_of(kernel.body, Atomic)):
        return usual
    best = min(_joined(kernel, options), key=lambda form: form.cost.clocks)
    pays = bool(best.kernel.alignment) and best.cost.clocks <= WORTH_UNASKED * usual.cost.clocks
    return best if pays else usual


def _joined(kernel: MappedKernel, options: Options) -> Iterator[PlainForm]:
    """The kernel as it is, and with lanes, or threads, that take two, and four, neighbouring iterations at a time.

    And the same of the kernel without loops over chunks, where that is worth it.
    """
    forms = tuple(_grouped(kernel, options))
    yield from forms
    body = with_joined_chunks(kernel.body)
    if body is not kernel.body:
        most = WORTH_JOINING * min(form.cost.clocks for form in forms)
        yield from (form for form in _grouped(replace(kernel, body=body), options) if form.cost.clocks <= most)


def _grouped(kernel: MappedKernel, options: Options) -> Iterator[PlainForm]:
    """The kernel as it is, and those whose lanes, or threads, take several neighbouring iterations at a time."""
    cost, alignment = joined_cost(Survey(kernel, options.fast_math), kernel.body)
    yield PlainForm(replace(kernel, alignment=alignment), cost)
    for count, grouped in product(COUNTS, (with_groups_of_lanes, with_groups_of_threads)):
        found, lengths = grouped(kernel, count)
        survey = Survey(found, options.fast_math)
        multiples = needed_multiples(survey, lengths, count)
        if multiples is not None:
            cost, alignment = joined_cost(survey, found.body)
            needed = with_multiples(alignment, multiples)
            if needed:
                yield PlainForm(replace(found, alignment=needed), cost, kernel)
