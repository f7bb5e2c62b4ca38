"""A .cu text with copies of its kernels that preload: edits of the user's text at exact places, nothing else changes.

Each kernel that gets copies in shared memory stays as it is. Behind it stands a second version, which is its text with
edits: tiles, fetches and barriers come, references to arrays become references to tiles; and a function that launches
one of the two. Launches in the text call that function.
"""

from __future__ import annotations

from collections.abc import Sequence

from accache.base.text import Edit, Span, splice
from accache.cpu.launches import launch_places
from accache.cuda.items import Item
from accache.cuda.statements import commas
from accache.cuda.text import Cuda
from accache.emit.preload.copies import Copies
from accache.emit.preload.names import FreeNames, macro_names, named
from accache.emit.preload.version import second_version
from accache.emit.templates import render
from accache.preload.plan import Plan


def with_preloads(cuda: Cuda, plans: Sequence[Plan]) -> str:
    """The text with second versions of the kernels whose plans have tiles."""
    edits: list[Edit] = []
    free = FreeNames({token.text for token in cuda.tokens} | macro_names(cuda))
    for plan in plans:
        if plan.tiles:
            edits += _edits(Copies(cuda, plan, named(cuda, plan, free)))
    if edits:
        place = min(_outermost(cuda, plan.view.item) for plan in plans if plan.tiles)
        edits.insert(0, Edit(Span(place, place), render("cuda/preload/runtime.cu.jinja")))
    return splice(cuda.source, tuple(edits))


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


def _edits(copies: Copies) -> list[Edit]:
    """The second version and its launcher behind the kernel, and the launches that call it."""
    cuda, item = copies.cuda, copies.plan.view.item
    tokens, place = cuda.tokens, cuda.tokens[item.end - 1].end
    made = [Edit(Span(place, place), second_version(copies))]
    for first, mark, end in launch_places(tokens):
        if tokens[first].start < place or tokens[first].text != item.name:
            continue
        if mark - first != 1 and not item.is_template:
            continue
        if any(other.first <= first < other.end for other in cuda.items if other.kind in ("kernel", "device")):
            continue
        made += _called(cuda, copies.names.launch, first, mark, end=end)
    return made


def _called(cuda: Cuda, launch: str, first: int, mark: int, *, end: int) -> list[Edit]:
    """``k<<<g, b>>>(a)`` becomes ``k_preload(g, b, 0, 0, a)``."""
    tokens = cuda.tokens
    count = 1 + sum(1 for _ in commas(tokens, mark + 1, end))
    missing = ", 0" * (4 - count)
    has_arguments = tokens[end + 2].text != ")"
    return [
        Edit(Span(tokens[first].start, tokens[first].end), launch),
        Edit(Span(tokens[mark].start, tokens[mark].end), "("),
        Edit(Span(tokens[end].start, tokens[end + 1].end), missing + (", " if has_arguments else "")),
    ]
