"""Views of a CUDA program's kernels, and what of a kernel stands in the way of copies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from accache.base.diagnostics import Reporter
from accache.base.text import Location, Span, read_source_file
from accache.cpu.captures import Block
from accache.cuda.instances import launched_instances
from accache.cuda.items import Item
from accache.cuda.kernel import KernelView
from accache.cuda.text import Cuda, NoViewError, read_cuda
from accache.cuda.view import view
from accache.frontend.source.preprocess import PreprocessOptions
from accache.preload.obstacles import divergent_barrier, obstacle
from accache.workflows.bypass.running import Invocation


def view_options(invocation: Invocation) -> PreprocessOptions:
    """How a program's kernels are preprocessed as C."""
    return PreprocessOptions(("cc",), tuple(flag for flag in invocation.flags if not flag.startswith("-std=")))


def views_of(cuda: Cuda, item: Item, options: PreprocessOptions) -> tuple[KernelView, ...]:
    """The views of a kernel, one for each instance.

    Raises:
        NoViewError: one has none, or something in it keeps the kernel from copies.
    """
    views = tuple(view(cuda, item, arguments, options) for arguments in launched_instances(cuda, item))
    for each in views:
        found = obstacle(each)
        if found is not None:
            raise NoViewError(found.reason, _token_at(cuda, each.near(found.place)))
    return views


def expect_all_at_barriers(cuda: Cuda, views: tuple[KernelView, ...], block: Block) -> None:
    """See that all threads of such blocks come to the barriers of a kernel; raises NoViewError."""
    for each in views:
        found = divergent_barrier(each, block)
        if found is not None:
            raise NoViewError(found.reason, _token_at(cuda, each.near(found.place)))


def tell_of_kernels(invocation: Invocation, blocks: Mapping[str, Block], reporter: Reporter) -> None:
    """Say of kernels of a CUDA program that they cannot be rewritten (ACC984), or use volatile data (ACC990).

    ``blocks`` are those that the kernels are launched in, by their names.
    """
    cuda = read_cuda(read_source_file(invocation.name), include_folders(invocation))
    for item in cuda.kernels:
        if item.name in blocks:
            try:
                views = views_of(cuda, item, view_options(invocation))
                expect_all_at_barriers(cuda, views, blocks[item.name])
                report_volatile(cuda, views, reporter)
            except NoViewError as error:
                report_refusal(cuda, item, error, reporter)


def include_folders(invocation: Invocation) -> tuple[Path, ...]:
    """Where the user looks for headers, beside the program's own folder."""
    return tuple(Path(flag[2:]) for flag in invocation.flags if flag.startswith("-I"))


def report_refusal(cuda: Cuda, item: Item, error: NoViewError, reporter: Reporter) -> None:
    """Say (ACC984) why a kernel cannot be rewritten."""
    reporter.report("ACC984", cuda.source.locate(error.span), kernel=item.name, reason=error.reason)


def report_volatile(cuda: Cuda, views: tuple[KernelView, ...], reporter: Reporter) -> None:
    """Say (ACC990) that a kernel, or a function that it calls, uses volatile data."""
    names = {views[0].name, *(routine.name for each in views for routine in each.routines)}
    found = next(_volatile(cuda, names), None)
    if found is not None:
        reporter.report("ACC990", found, kernel=views[0].name)


def _volatile(cuda: Cuda, names: set[str]) -> Iterator[Location]:
    for file in cuda.files:
        for item in file.items:
            for token in file.tokens[item.first : item.end] if item.name in names else ():
                if token.text == "volatile":
                    yield file.source.locate(Span(token.start, token.end))


def _token_at(cuda: Cuda, offset: int) -> Span:
    """The span of the token that begins at a place, or behind it."""
    token = next((each for each in cuda.tokens if each.start >= offset), cuda.tokens[-1])
    return Span(token.start, token.end)
