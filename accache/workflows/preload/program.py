"""``accache preload`` from end to end: run a program for its block sizes, read its kernels, plan, and write."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path

from msgspec import Struct

from accache.base.architectures import KEPLER, STATIC_SHARED_BYTES
from accache.base.diagnostics import Diagnostic, Reporter
from accache.base.text import BYTE_ORDER_MARK, Span, read_source_file
from accache.cpu.captures import Block
from accache.cpu.tokens import BLANK, HASH
from accache.cuda.items import Item
from accache.cuda.kernel import KernelView
from accache.cuda.launch_sites import family, launches_in_macros, sites
from accache.cuda.needed import macros, with_macros
from accache.cuda.text import BracketsError, Cuda, NoViewError, read_cuda
from accache.emit.preload.program import with_preloads
from accache.frontend.source.preprocess import PreprocessOptions
from accache.ir.sizes import sizeof
from accache.ir.tree import Declare
from accache.ir.types import Array
from accache.ir.walk import nodes_of
from accache.l1.gpus import Gpu
from accache.preload.plan import Limits, Plan, planned
from accache.workflows.bypass.running import Invocation
from accache.workflows.preload.registers import as_resident
from accache.workflows.suggest.launches import built_for_launches, run_once, tell_of_blocks
from accache.workflows.views import (
    expect_all_at_barriers,
    include_folders,
    report_refusal,
    report_volatile,
    view_options,
    views_of,
)

_KEPT_WORDS = frozenset(("const", "constexpr", "__shared__", "__constant__"))
"""Words of static variables of which it makes no difference that there are two."""

_MACRO = re.compile(rf'{HASH}(?:(?:define|undef){BLANK}(\w+)|pragma{BLANK}(?:push|pop)_macro{BLANK}\({BLANK}"(\w+))')


class _Kernel(Struct, frozen=True):
    """A kernel with its views."""

    item: Item
    views: tuple[KernelView, ...]


class Preloaded(Struct, frozen=True):
    """A program, its rewritten text, what was decided of each kernel, and what there is to say.

    ``launches`` are how many launches of the file may use the copies of kernels of a name.
    """

    cuda: Cuda
    text: str
    plans: tuple[Plan, ...]
    diagnostics: tuple[Diagnostic, ...]
    launches: Mapping[str, int]


def preload(
    invocation: Invocation, gpu: Gpu, threshold: float, block: Block | None, *, reporter: Reporter
) -> Preloaded:
    """Rewrite a CUDA file. Without ``block``, the block of each kernel is that of its first launch in a run.

    Raises:
        CompileError: the file cannot be read, or the program cannot be built or run, or launches no kernel.
    """
    name = invocation.name
    if Path(name).suffix not in (".cu", ".cuh"):
        raise reporter.fail("ACC983", name=name)
    try:
        source = read_source_file(name)
    except OSError as error:
        raise reporter.fail("ACC101", name=name, reason=error.strerror or error) from error
    cuda = read_cuda(source, include_folders(invocation))
    kernels, refused = _read(cuda, view_options(invocation))
    if block is not None:
        blocks = dict.fromkeys((kernel.item.name for kernel in kernels), block)
    else:
        is_run = kernels or not refused or any(isinstance(refusal, BracketsError) for _, refusal in refused)
        blocks = _launched(invocation, kernels, reporter) if is_run else {}
    for item, refusal in refused:
        report_refusal(cuda, item, refusal, reporter)
    plans = []
    for kernel in kernels:
        if kernel.item.name not in blocks:
            reporter.report("ACC978", kernel=kernel.item.name, reason="this run does not launch it")
            continue
        try:
            expect_all_at_barriers(cuda, kernel.views, blocks[kernel.item.name])
            plans_of_instances = [_plan(each, blocks[kernel.item.name], gpu, threshold) for each in kernel.views]
            plans.append(_of_all_instances(cuda, plans_of_instances))
        except NoViewError as error:
            report_refusal(cuda, kernel.item, error, reporter)
        else:
            report_volatile(cuda, kernel.views, reporter)
    plans = list(as_resident(plans, with_preloads(cuda, plans), invocation, gpu))
    names = dict.fromkeys(plan.view.item.name for plan in plans if plan.tiles)
    launches = {name: _launches(cuda, name, reporter) for name in names}
    mark = BYTE_ORDER_MARK if source.text.startswith(BYTE_ORDER_MARK) else ""
    text = mark + with_preloads(cuda, plans)
    return Preloaded(cuda, text, tuple(plans), tuple(reporter.diagnostics), launches)


def _launches(cuda: Cuda, name: str, reporter: Reporter) -> int:
    """How many launches may use the copies of kernels of a name; tells of those that cannot (ACC992)."""
    found = tuple(sites(cuda, family(cuda, name)))
    left = [(cuda.tokens[site.name].start, site.reason) for site in found if site.reason]
    left += [(place, "a macro holds the launch") for place in launches_in_macros(cuda, name)]
    for place, reason in sorted(left):
        reporter.report("ACC992", cuda.source.locate(Span(place, place + len(name))), kernel=name, reason=reason)
    return sum(not site.reason for site in found)


def _read(cuda: Cuda, options: PreprocessOptions) -> tuple[list[_Kernel], list[tuple[Item, NoViewError]]]:
    """The kernels that have views, and those that have none."""
    kernels, refused = [], []
    for item in cuda.kernels:
        try:
            _expect_shared(cuda, item)
            _expect_name(cuda, item)
            _expect_no_state(cuda, item)
            _expect_same_macros(cuda, item)
            kernels.append(_Kernel(item, views_of(cuda, item, options)))
        except NoViewError as error:
            refused.append((item, error))
    return kernels, refused


def _expect_shared(cuda: Cuda, item: Item) -> None:
    """See that no macro changes ``__shared__``, which is ``__attribute__((shared))``, or names that copies have.

    Raises:
        NoViewError: one does.
    """
    token = cuda.tokens[item.first]
    for name, _ in macros(cuda):
        if name == "shared" or name.startswith("accache_"):
            what = "__shared__" if name == "shared" else name
            raise NoViewError(f"the macro '{name}' changes what '{what}' stands for", Span(token.start, token.end))


def _expect_name(cuda: Cuda, item: Item) -> None:
    """See that what launches a kernel, which takes the same parameters, can name it; raises NoViewError."""
    for first, end in item.parameters:
        token = next((token for token in cuda.tokens[first:end] if token.text == item.name), None)
        if token is not None:
            raise NoViewError("a parameter has its name", Span(token.start, token.end))


def _expect_no_state(cuda: Cuda, item: Item) -> None:
    """See that a kernel has no variables that both versions would have, each its own; raises NoViewError."""
    tokens, reason = cuda.tokens, "a static variable keeps its value from launch to launch"
    body = range(item.body, item.end)
    words = {tokens[k].text for k in body}
    if "static" in with_macros(cuda, words) - words:
        raise NoViewError(reason, Span(tokens[item.first].start, tokens[item.first].end))
    for k in (k for k in body if tokens[k].text == "static"):
        end = next(j for j in range(k, item.end) if tokens[j].text in ("=", ";", "{", "("))
        if not _KEPT_WORDS.intersection(token.text for token in tokens[k - 1 : end]):
            raise NoViewError(reason, Span(tokens[k].start, tokens[k].end))


def _expect_same_macros(cuda: Cuda, item: Item) -> None:
    """See that macros which a kernel's text changes are the same in its second version, behind it; raises NoViewError.

    They are if it does not use them before.
    """
    tokens, seen = cuda.tokens[item.first : item.end], set[str]()
    for span in (span for span in cuda.directives if tokens[0].start < span.start < tokens[-1].end):
        if span.start < cuda.tokens[item.body].start:
            raise NoViewError("a line of the preprocessor stands in its head", span)
        found = _MACRO.match(cuda.source.text, span.start, span.end)
        name = found[1] or found[2] if found is not None else ""
        used = {token.text for token in tokens if token.start < span.start} if name and name not in seen else set()
        if name in with_macros(cuda, used):
            raise NoViewError(f"it uses the macro '{name}' and changes it", Span(span.start, span.end))
        seen.add(name)


def _plan(found: KernelView, block: Block, gpu: Gpu, threshold: float) -> Plan:
    declares = (node for node in nodes_of(found.body, Declare) if node.name in found.shared)
    own = sum(sizeof(node.type) for node in declares if isinstance(node.type, Array))
    return planned(found, block, limits_of(gpu, block, own), threshold)


def _of_all_instances(cuda: Cuda, plans: Sequence[Plan]) -> Plan:
    """The plan of a template, whose text is one: its instances have to get the same.

    Raises:
        NoViewError: they do not.
    """
    if len(plans) > 1 and len({with_preloads(cuda, [plan]) for plan in plans}) > 1:
        token = cuda.tokens[plans[0].view.item.first]
        raise NoViewError("its instances would get different copies", Span(token.start, token.end))
    return plans[0]


def limits_of(gpu: Gpu, block: Block, own: int) -> Limits:
    """What blocks of a kernel may take that has ``own`` bytes of shared memory, if as many shall be resident."""
    threads = prod(block)
    chip = gpu.unified.architecture if gpu.unified is not None else KEPLER
    blocks = chip.resident_blocks(threads, own)
    room = max(0, min(chip.shared_room(threads, own), STATIC_SHARED_BYTES - own))
    if gpu.unified is None:
        return Limits(room, 0, max(1, blocks))
    carved = next((choice for choice in chip.carveouts if choice >= blocks * own), chip.carveouts[-1])
    return Limits(room, chip.unified - carved, max(1, blocks))


def _launched(invocation: Invocation, kernels: Sequence[_Kernel], reporter: Reporter) -> dict[str, Block]:
    """The block of each kernel's first launch in a run, by the kernel's name.

    Raises:
        CompileError: the program cannot be built or run, or launches nothing.
    """
    with tempfile.TemporaryDirectory(prefix="accache-") as folder:
        directory = Path(folder)
        built = built_for_launches(invocation.name, invocation.flags, directory, reporter)
        done = run_once(built, invocation)
    names = dict.fromkeys(kernel.item.name for kernel in kernels)
    found = {name: done.blocks[name] for name in names if name in done.blocks}
    if not done.blocks:
        what = "it launched any kernel" if done.end else "no kernel"
        raise reporter.fail("ACC979" if done.end else "ACC972", name=invocation.name, status=done.end, what=what)
    if done.end:
        reporter.report("ACC973", name=invocation.name, status=done.end)
    for name, blocks in found.items():
        tell_of_blocks(name, blocks, reporter)
    return {name: blocks[0] for name, blocks in found.items()}
