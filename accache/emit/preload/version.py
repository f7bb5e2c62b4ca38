"""The text of a kernel's second version: the functions that fetch, the kernel with copies, and what launches either."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from accache.base.text import Edit, SourceFile, Span, splice
from accache.cpu.definitions import angles_end, parameter_name
from accache.cpu.tokens import closing
from accache.cuda.items import Item
from accache.cuda.text import Cuda
from accache.emit.preload.chunks import loops_in_chunks
from accache.emit.preload.copies import Copies
from accache.emit.preload.fetches import fetch_view, thread_in_block
from accache.emit.preload.names import FreeNames, macro_names
from accache.emit.templates import render


def second_version(copies: Copies) -> str:
    """What stands behind the kernel."""
    cuda, plan, names = copies.cuda, copies.plan, copies.names
    item = plan.view.item
    start = _behind_templates(cuda, item)
    parameters = [parameter_name(cuda.tokens[first:end]) for first, end in item.parameters]
    return render(
        "cuda/preload/kernel.cu.jinja",
        tiles=[fetch_view(tile) for tile in names.tiles],
        name=item.name,
        template=cuda.spelled(item.first, start) + " " if start > item.first else "",
        instance=copies.instance,
        copy=names.copy,
        launch=names.launch,
        shape=" x ".join(map(str, plan.block)),
        arrays=_listed(names.arrays),
        kernel=_with_copies(copies, start),
        parameters=[cuda.spelled(first, end) for first, end in item.parameters],
        block=plan.block,
        threads=prod(plan.block),
        thread=thread_in_block(plan.block),
        arguments=", ".join(parameters),
        **_in_launcher(copies, parameters),
    )


def _in_launcher(copies: Copies, parameters: Sequence[str]) -> dict[str, object]:
    """The variables of the function that launches, and what memory it tells apart."""
    arrays, there = copies.names.arrays, copies.names.there
    own = FreeNames({*parameters, *macro_names(copies.cuda)})
    words = {word: own(word) for word in ("grid", "block", "shared", "stream", "holds")}
    written = tuple(name for name in copies.plan.written if name in parameters)
    memory = {name: own(f"{name}_memory") for name in dict.fromkeys((*arrays, *written))}
    return {
        "word": words,
        "memories": list(memory.items()),
        "elements": [(name, memory[name], there[name]) for name in arrays],
        "pairs": [(memory[array], memory[other]) for array in arrays for other in written],
    }


def _with_copies(copies: Copies, start: int) -> str:
    """The kernel's text with its edits, from a token behind the heads of templates."""
    tokens, item = copies.cuda.tokens, copies.plan.view.item
    opening = next(k for k in range(item.first, item.body) if tokens[k].text == "(" and tokens[k - 1].text == item.name)
    if tokens[start].text == "extern":
        start += 2
    edits = [
        *_head(copies, start, opening),
        *copies.references(),
        *copies.entry(),
        *loops_in_chunks(copies),
    ]
    text, first, last = copies.cuda.source.text, tokens[start].start, tokens[item.end - 1].end
    moved = sorted(
        (Edit(Span(edit.span.start - first, edit.span.end - first), edit.text) for edit in edits),
        key=lambda edit: (edit.span.start, edit.span.end > edit.span.start),
    )
    return splice(SourceFile("", text[first:last]), tuple(moved))


def _head(copies: Copies, start: int, opening: int) -> list[Edit]:
    """A static function of another name, which is told what is there of each array."""
    tokens, name = copies.cuda.tokens, copies.cuda.tokens[opening - 1]
    close = closing(tokens, opening)
    there = "".join(f", accache_elements {elements}" for elements in copies.names.there.values())
    is_static = any(tokens[k].text == "static" for k in range(start, opening))
    return [
        *([] if is_static else [Edit(Span(tokens[start].start, tokens[start].start), "static ")]),
        Edit(Span(name.start, name.end), copies.names.copy),
        Edit(Span(tokens[close].start, tokens[close].start), there),
    ]


def _behind_templates(cuda: Cuda, item: Item) -> int:
    """The first token behind the heads of templates."""
    start = item.first
    while cuda.tokens[start].text == "template":
        start = angles_end(cuda.tokens, start + 1) + 1
    return start


def _listed(names: Sequence[str]) -> str:
    return " and ".join(names) if len(names) < 3 else ", ".join(names)
