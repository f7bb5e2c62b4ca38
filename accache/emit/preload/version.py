"""The text of a kernel's second version: the functions that fetch, the kernel with copies, and what launches either."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from accache.base.text import Edit, SourceFile, Span, splice
from accache.cpu.definitions import parameter_name
from accache.cpu.tokens import closing
from accache.cuda.items import Item, behind_templates
from accache.cuda.text import Cuda
from accache.emit.preload.chunks import loops_in_chunks
from accache.emit.preload.copies import Copies
from accache.emit.preload.fetches import fetch_view, thread_in_block
from accache.emit.preload.names import FreeNames, macro_names
from accache.emit.preload.unused import unused_variables
from accache.emit.templates import macros, render

_CONFIGURATION = ("grid", "block", "shared", "stream")
_WORDS = "cuda/preload/words.cu.jinja"


def second_version(copies: Copies) -> str:
    """What stands behind the kernel."""
    cuda, plan, names = copies.cuda, copies.plan, copies.names
    item = plan.view.item
    start = behind_templates(cuda.tokens, item.first)
    parameters = _parameters(cuda, item)
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
        parameters=with_defaults(cuda, item),
        block=plan.block,
        threads=prod(plan.block),
        thread=thread_in_block(plan.block),
        arguments=", ".join(parameters),
        **_in_launcher(copies, parameters),
    )


def plain_launcher(cuda: Cuda, item: Item, launch: str) -> str:
    """What stands behind a kernel without copies if another one of its name has some."""
    start = behind_templates(cuda.tokens, item.first)
    parameters = _parameters(cuda, item)
    own = FreeNames({*parameters, *macro_names(cuda)})
    return render(
        "cuda/preload/plain.cu.jinja",
        name=item.name,
        template=cuda.spelled(item.first, start) + " " if start > item.first else "",
        instance=_instance(item),
        launch=launch,
        parameters=with_defaults(cuda, item),
        arguments=", ".join(parameters),
        word={word: own(f"accache_{word}") for word in _CONFIGURATION},
    )


def declared_launcher(cuda: Cuda, item: Item, launch: str) -> str:
    """What stands behind a declaration of a kernel: the same for what launches it."""
    start = behind_templates(cuda.tokens, item.first)
    template = cuda.spelled(item.first, start) + " " if start > item.first else ""
    return str(macros(_WORDS).declared(template, launch, spelled_parameters(cuda, item)))


def _instance(item: Item) -> str:
    """The arguments with which a function of a template calls another one."""
    return f"<{', '.join(item.template)}>" if item.is_template else ""


def _parameters(cuda: Cuda, item: Item) -> list[str]:
    """The names of a kernel's parameters."""
    names = (parameter_name(cuda.tokens[first:end]) for first, end in item.parameters)
    return [name for name in names if name]


def spelled_parameters(cuda: Cuda, item: Item) -> list[str]:
    """The parameters as they are declared."""
    texts = [cuda.spelled(first, end) for first, end in item.parameters]
    return [] if texts == ["void"] else texts


def with_defaults(cuda: Cuda, item: Item) -> list[str]:
    """The parameters as they are declared, with the defaults that a declaration in a header gives them."""
    texts = spelled_parameters(cuda, item)
    for header in cuda.files[1:]:
        for other in header.items:
            if other.kind == "other" and other.name == item.name and len(other.parameters) == len(texts):
                spelled = [header.spelled(first, end) for first, end in other.parameters]
                texts = [
                    f"{text} = {default.partition('=')[2].strip()}" if "=" in default and "=" not in text else text
                    for text, default in zip(texts, spelled, strict=True)
                ]
    return texts


def _in_launcher(copies: Copies, parameters: Sequence[str]) -> dict[str, object]:
    """The variables of the function that launches, and what memory it tells apart."""
    arrays, there = copies.names.arrays, copies.names.there
    own = FreeNames({*parameters, *macro_names(copies.cuda)})
    words = {word: own(f"accache_{word}") for word in (*_CONFIGURATION, "holds")}
    written = tuple(name for name in copies.plan.written if name in parameters)
    memory = {name: own(f"accache_{name}_memory") for name in dict.fromkeys((*arrays, *written))}
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
    references = list(copies.references())
    edits = [
        *_head(copies, start, opening),
        *references,
        *unused_variables(copies, references),
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
    defaults = [
        Edit(Span(tokens[a + tokens_of.index("=")].start, tokens[b - 1].end), "")
        for a, b in copies.plan.view.item.parameters
        if "=" in (tokens_of := [token.text for token in tokens[a:b]])
    ]
    return [
        *([] if is_static else [Edit(Span(tokens[start].start, tokens[start].start), "static ")]),
        Edit(Span(name.start, name.end), copies.names.copy),
        *defaults,
        Edit(Span(tokens[close].start, tokens[close].start), there),
    ]


def _listed(names: Sequence[str]) -> str:
    return " and ".join(names) if len(names) < 3 else ", ".join(names)
