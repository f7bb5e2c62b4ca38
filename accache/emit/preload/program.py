"""A .cu text with copies of its kernels that preload: edits of the user's text at exact places, nothing else changes.

Each kernel that gets copies in shared memory stays as it is. Behind it stands a second version, which is its text with
edits: tiles, fetches and barriers come, references to arrays become references to tiles; and a function that launches
one of the two. Launches in the text call that function, which is declared wherever the kernel is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from accache.base.text import Edit, Span, splice
from accache.cuda.items import Item
from accache.cuda.launch_sites import Family, Site, family, is_in_order, sites
from accache.cuda.statements import commas
from accache.cuda.text import Cuda
from accache.emit.preload.copies import Copies
from accache.emit.preload.names import FreeNames, macro_names, named
from accache.emit.preload.version import declared_launcher, plain_launcher, second_version
from accache.emit.templates import macros, render
from accache.preload.plan import Plan

_LINE_FEED = re.compile(r"(?<!\r)\n")


def with_preloads(cuda: Cuda, plans: Sequence[Plan]) -> str:
    """The text with second versions of the kernels whose plans have tiles."""
    edits: list[Edit] = []
    taken = {token.text for file in cuda.files for token in file.tokens}
    free = FreeNames(taken | macro_names(cuda))
    copied = {plan.view.item.first: plan for plan in plans if plan.tiles}
    for name in dict.fromkeys(plan.view.item.name for plan in copied.values()):
        edits += _of_family(cuda, family(cuda, name), copied, free)
    if edits:
        place = min(_outermost(cuda, plan.view.item) for plan in copied.values())
        edits.insert(0, Edit(Span(place, place), render("cuda/preload/runtime.cu.jinja")))
    return splice(cuda.source, tuple(_with_line_ends(cuda, edit) for edit in sorted(edits, key=_order)))


def _with_line_ends(cuda: Cuda, edit: Edit) -> Edit:
    """An edit whose lines end as those of the file do."""
    if "\r\n" not in cuda.source.text:
        return edit
    return Edit(edit.span, _LINE_FEED.sub("\r\n", edit.text))


def _order(edit: Edit) -> tuple[int, bool]:
    """What comes first: of edits at one place those that only insert."""
    return edit.span.start, edit.span.end > edit.span.start


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
    for site in sites(cuda, found):
        if not site.reason:
            yield from _called(cuda, launch, site)


def _outermost(cuda: Cuda, item: Item) -> int:
    """Where what stands at file scope around a kernel begins."""
    depth, first = 0, item.first
    for index in range(item.first - 1, -1, -1):
        text = cuda.tokens[index].text
        depth += (text == "}") - (text == "{")
        if depth < 0:
            first = index
            while first and cuda.tokens[first].text not in ("namespace", "extern"):
                first -= 1
            depth = 0
    return cuda.tokens[first].start


def _called(cuda: Cuda, launch: str, site: Site) -> Iterator[Edit]:
    """``k<<<g, b>>>(a)`` becomes ``k_preload(g, b, 0, 0, a)``, or a call of a lambda around that where order counts.

    CUDA evaluates a launch's configuration before its arguments; the arguments of one call have no order.
    """
    tokens = cuda.tokens
    count = 1 + sum(1 for _ in commas(tokens, site.mark + 1, site.end))
    missing = ", 0" * (4 - count)
    comma = ", " if site.close > site.end + 2 else ""
    name, mark, end = tokens[site.name], tokens[site.mark], tokens[site.end]
    yield Edit(Span(name.start, name.end), launch)
    if is_in_order(cuda, site):
        yield Edit(Span(mark.start, mark.end), "(")
        yield Edit(Span(end.start, tokens[site.end + 1].end), missing + comma)
        return
    first, close = tokens[site.first], tokens[site.close]
    words = macros("cuda/preload/words.cu.jinja")
    yield Edit(Span(first.start, first.start), str(words.configured()))
    yield Edit(Span(mark.start, tokens[site.end + 1].end), f"({words.configuration()}{comma}")
    configuration = cuda.spelled(site.mark + 1, site.end)
    yield Edit(Span(close.start, close.end), f"); }}({configuration}{missing})")
