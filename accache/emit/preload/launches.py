"""What files with second versions of kernels share: launches that become calls, and where run-time text stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from accache.base.text import Edit, Span, splice
from accache.cpu.tokens import HASH
from accache.cuda.items import Item
from accache.cuda.launch_sites import Family, Site, is_in_order, sites, using_declarations
from accache.cuda.statements import commas
from accache.cuda.text import Cuda
from accache.emit.templates import macros

_LINE_FEED = re.compile(r"(?<!\r)\n")
_CONDITION = re.compile(rf"{HASH}(if|endif)")


def spliced(cuda: Cuda, edits: Iterable[Edit]) -> str:
    """The text with edits, whose lines end as those of the file do."""
    made = sorted(edits, key=_order)
    if "\r\n" in cuda.source.text:
        made = [Edit(edit.span, _LINE_FEED.sub("\r\n", edit.text)) for edit in made]
    return splice(cuda.source, tuple(made))


def _order(edit: Edit) -> tuple[int, bool]:
    """What comes first: of edits at one place those that only insert."""
    return edit.span.start, edit.span.end > edit.span.start


def before_all(cuda: Cuda, kernels: Sequence[Item], text: str) -> Edit:
    """Text in front of kernels, and of all scopes and groups of ``#if`` that these stand in."""
    place = min(_outermost(cuda, item) for item in kernels)
    opened: list[int] = []
    for span in cuda.directives:
        found = _CONDITION.match(cuda.source.text, span.start)
        if span.start > place or found is None:
            continue
        if found[1] == "if":
            opened.append(span.start)
        elif opened:
            opened.pop()
    place = opened[0] if opened else place
    in_line = cuda.source.text[cuda.source.text.rfind("\n", 0, place) + 1 : place].strip()
    return Edit(Span(place, place), f"\n{text}" if in_line else text)


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
            first -= first > 0 and cuda.tokens[first - 1].text == "inline"
            depth = 0
    return cuda.tokens[first].start


def calls(cuda: Cuda, found: Family, launch: str) -> Iterator[Edit]:
    """The edits by which launches of a family call the function ``launch``, wherever names for the kernels are seen."""
    for first, end in using_declarations(cuda, found):
        place = cuda.tokens[end].end
        yield Edit(Span(place, place), f" using {cuda.spelled(first, end - 1)}{launch};")
    for site in sites(cuda, found):
        if not site.reason:
            yield from _called(cuda, launch, site)


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
