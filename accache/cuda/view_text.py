"""The text of a view: one kernel, what it calls and what it names, as C, with the way back to the .cu text.

Before: ``template <int N> __global__ void scale(float *a) { a[threadIdx.x] *= float(N); }`` as scale<4> is launched.
After: ``#pragma acc routine seq`` and ``void scale(float *a) { a[threadIdx_x] *= (float)(4); }``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from accache.base.text import Edit, SourceFile, Span, splice
from accache.cpu.tokens import directive_spans
from accache.cuda.approximated import prelude
from accache.cuda.blanks import KEPT, around, blank, in_macros
from accache.cuda.conditions import expect_same_text, outside_names
from accache.cuda.item_edits import item_edits
from accache.cuda.items import Item
from accache.cuda.needed import expect_calls_in_text, expect_one_scope, instances, macros, needed, references
from accache.cuda.overloads import operates_on_enumerations, overloads, writing_operators
from accache.cuda.text import Cuda, NoViewError
from accache.cuda.word_edits import WordEdits
from accache.cuda.words import READERS
from accache.ir.pins import Pin


class ViewText(Struct, frozen=True, dict=True):
    """The C text of a view, and where its parts come from: view offsets, raw offsets, and lengths of parts kept.

    ``shared`` are its arrays in shared memory, ``dynamic`` those of them whose length only the launch knows.
    ``outside`` are macros that come from elsewhere.
    """

    source: SourceFile
    parts: tuple[tuple[int, int, int], ...]
    shared: frozenset[str]
    dynamic: frozenset[str]
    outside: tuple[Pin, ...] = ()

    def raw(self, offset: int) -> int | None:
        """The place in the .cu text of a place of the view; None for what the view added."""
        index = bisect_right(self.parts, (offset, 1 << 60, 0)) - 1
        if index < 0:
            return None
        start, origin, length = self.parts[index]
        return origin + offset - start if offset - start < length else None

    def near(self, offset: int) -> int:
        """The place in the .cu text of a place of the view, or of what the view has something else for there."""
        index = max(0, bisect_right(self.parts, (offset, 1 << 60, 0)) - 1)
        start, origin, length = self.parts[index]
        return origin + max(0, min(offset - start, length))


def view_text(
    cuda: Cuda,
    kernel: Item,
    arguments: Mapping[str, str],
    deduced: Mapping[int, str],
    *,
    given: Sequence[str],
    as_written: bool = False,
) -> ViewText:
    """The C text of a kernel; ``arguments`` are what the parameters of its template stand for.

    ``deduced`` is what stands for words of declarations with auto, by their offsets. Options that are ``given`` to
    the preprocessor may name what the text does not.

    Raises:
        NoViewError: a construct has no counterpart in C.
    """
    if writing_operators(cuda):
        token = cuda.tokens[kernel.first]
        raise NoViewError("an operator of the program's own may write to memory", Span(token.start, token.end))
    kept = needed(cuda, kernel)
    if operates_on_enumerations(cuda, kept):
        token = cuda.tokens[kernel.first]
        raise NoViewError("an operator of the program's own may take enumerations", Span(token.start, token.end))
    expect_same_text(cuda, kept, given)
    expect_one_scope(cuda, kept)
    expect_calls_in_text(cuda, kept)
    shared, dynamic = set[str](), set[str]()
    defined = {name for name, _ in macros(cuda)}
    defined |= {item.name for item in kept if item.kind == "device"}
    of_cuda = frozenset() if as_written else READERS - defined
    edits = _edits(cuda, kept, kernel, arguments, deduced=deduced, shared=shared, dynamic=dynamic, of_cuda=of_cuda)
    head = prelude((splice(cuda.source, edits), *given), frozenset(defined), as_written=as_written)
    made = _spliced(cuda.source, head, edits, shared, dynamic=dynamic)
    return replace(made, outside=outside_names(cuda, kept, given))


def _edits(
    cuda: Cuda,
    kept: Sequence[Item],
    kernel: Item,
    arguments: Mapping[str, str],
    *,
    deduced: Mapping[int, str],
    shared: set[str],
    dynamic: set[str],
    of_cuda: frozenset[str],
) -> tuple[Edit, ...]:
    """The edits of one text: items that are not needed go, headers come, words of CUDA become C."""
    called = instances(cuda, kept, arguments)
    words = WordEdits(
        cuda,
        shared,
        dynamic,
        set(),
        references=references(cuda, kept),
        instances=called,
        arguments=arguments,
        pointed=frozenset(),
        overloads=overloads(cuda, kept),
        deduced=deduced,
        of_cuda=of_cuda,
    )
    edits: list[Edit] = []
    wanted = {id(item) for item in kept}
    for item in cuda.items:
        edits += _kept(words, item, kernel) if id(item) in wanted else [blank(cuda, item.first, item.end)]
    edits += around(cuda)
    text, headers = cuda.source.text, dict(cuda.headers)
    emptied = [edit.span for edit in edits if edit.span.end > edit.span.start]
    edits += in_macros(cuda, emptied)
    for span in directive_spans(text):
        if KEPT.match(text, span.start) or any(place.start <= span.start < place.end for place in emptied):
            continue
        header = headers.get(span)
        made = "" if header is None else _included(header, span, kept, kernel, words=words)
        edits.append(Edit(span, made + re.sub(r"[^\n]", "", text[span.start : span.end])))
    return tuple(sorted(edits, key=lambda edit: edit.span.start))


def _kept(words: WordEdits, item: Item, kernel: Item) -> list[Edit]:
    """The edits of an item that is needed by name; a function of the host that is no C is not what a kernel calls."""
    if item.kind in ("device", "host") and item.name in words.overloads:
        return [blank(words.cuda, item.first, item.end)]
    try:
        return item_edits(words, item, is_kernel=item is kernel)
    except NoViewError:
        if item.kind != "host":
            raise
        return [blank(words.cuda, item.first, item.end)]


def _included(header: Cuda, place: Span, kept: Sequence[Item], kernel: Item, *, words: WordEdits) -> str:
    """The C text of a header; what has no counterpart in it is told where it is included."""
    try:
        edits = _edits(
            header,
            kept,
            kernel,
            {},
            deduced={},
            shared=words.shared,
            dynamic=words.dynamic_shared,
            of_cuda=words.of_cuda,
        )
        return splice(header.source, edits)
    except NoViewError as error:
        raise NoViewError(f"{error.reason.removesuffix(' in a header')} in a header", place) from None


def _spliced(
    source: SourceFile, head: str, edits: tuple[Edit, ...], shared: set[str], *, dynamic: set[str]
) -> ViewText:
    """The text with its edits, and the parts of it that were kept."""
    body = splice(source, edits)
    parts, position, at = [], 0, len(head)
    for edit in edits:
        length = edit.span.start - position
        if length:
            parts.append((at, position, length))
        at += length + len(edit.text)
        position = edit.span.end
    parts.append((at, position, len(source.text) - position))
    return ViewText(SourceFile(source.name, head + body), tuple(parts), frozenset(shared), frozenset(dynamic))
