"""A .cu text with copies of its kernels that preload: edits of the user's text at exact places, nothing else changes.

Each kernel that gets copies in shared memory stays as it is. Behind it stands a second version, which is its text with
edits: tiles, fetches and barriers come, references to arrays become references to tiles; and a function that launches
one of the two. Launches in the text call that function, which is declared wherever the kernel is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from accache.base.text import Edit, Span
from accache.cuda.launch_sites import Family, family
from accache.cuda.text import Cuda
from accache.emit.preload.copies import Copies
from accache.emit.preload.launches import before_all, calls, spliced
from accache.emit.preload.names import FreeNames, macro_names, named
from accache.emit.preload.version import declared_launcher, plain_launcher, second_version
from accache.emit.templates import render
from accache.preload.plan import Plan


def with_preloads(cuda: Cuda, plans: Sequence[Plan]) -> str:
    """The text with second versions of the kernels whose plans have tiles."""
    edits: list[Edit] = []
    taken = {token.text for file in cuda.files for token in file.tokens}
    free = FreeNames(taken | macro_names(cuda))
    copied = {plan.view.item.first: plan for plan in plans if plan.tiles}
    for name in dict.fromkeys(plan.view.item.name for plan in copied.values()):
        edits += _of_family(cuda, family(cuda, name), copied, free)
    if edits:
        kernels = [plan.view.item for plan in copied.values()]
        edits.insert(0, before_all(cuda, kernels, render("cuda/preload/runtime.cu.jinja")))
        pins = {pin.name: pin for plan in copied.values() for pin in plan.view.text.outside}
        if pins:
            edits.insert(0, Edit(_first(cuda), render("cuda/pins.cu.jinja", pins=tuple(pins.values()))))
    return spliced(cuda, edits)


def _first(cuda: Cuda) -> Span:
    """Where a text begins, behind what it says of itself."""
    starts = [cuda.tokens[0].start, *(span.start for span in cuda.directives[:1])]
    return Span(min(starts), min(starts))


def _of_family(cuda: Cuda, found: Family, copied: Mapping[int, Plan], free: FreeNames) -> Iterator[Edit]:
    """The edits for the kernels of one name: what launches them has one name, too, so that C++ chooses between them."""
    launch = free(f"{found.name}_preload")
    for item in found.kernels:
        place, plan = cuda.tokens[item.end - 1].end, copied.get(item.first)
        if plan is not None:
            made = second_version(Copies(cuda, plan, named(cuda, plan, free, launch)))
        else:
            made = "" if found.obstacle else plain_launcher(cuda, item, launch)
        if made:
            yield Edit(Span(place, place), made)
    if found.obstacle:
        return
    for item in found.declarations:
        place = cuda.tokens[item.end - 1].end
        yield Edit(Span(place, place), declared_launcher(cuda, item, launch))
    yield from calls(cuda, found, launch)
