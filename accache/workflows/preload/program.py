"""``accache preload`` from end to end: run a program for its block sizes, read its kernels, plan, and write."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path

from msgspec import Struct

from accache.base.architectures import KEPLER, STATIC_SHARED_BYTES
from accache.base.diagnostics import Diagnostic, Reporter
from accache.base.options import Options
from accache.base.text import Span, read_source_file
from accache.cuda.instances import launched_instances
from accache.cuda.items import Item
from accache.cuda.kernel import KernelView
from accache.cuda.text import Cuda, NoViewError, read_cuda
from accache.cuda.view import view
from accache.emit.preload.program import with_preloads
from accache.frontend.source.preprocess import PreprocessOptions
from accache.ir.sizes import sizeof
from accache.ir.tree import Declare
from accache.ir.types import Array
from accache.ir.walk import walk
from accache.l1.gpus import Gpu
from accache.preload.plan import Limits, Plan, planned
from accache.workflows.building import build_cuda
from accache.workflows.bypass.running import Invocation
from accache.workflows.suggest.launches import first_of

Block = tuple[int, int, int]


class Preloaded(Struct, frozen=True):
    """A program, its rewritten text, what was decided of each kernel, and what there is to say."""

    cuda: Cuda
    text: str
    plans: tuple[Plan, ...]
    diagnostics: tuple[Diagnostic, ...]


def preload(
    invocation: Invocation, gpu: Gpu, threshold: float, block: Block | None, *, reporter: Reporter
) -> Preloaded:
    """Rewrite a CUDA file. Without ``block``, the block of each kernel is that of its first launch in a run.

    Raises:
        CompileError: the file cannot be read, or the program cannot be built or run, or launches nothing.
    """
    name = invocation.name
    if Path(name).suffix not in (".cu", ".cuh"):
        raise reporter.fail("ACC983", name=name)
    try:
        source = read_source_file(name)
    except OSError as error:
        raise reporter.fail("ACC101", name=name, reason=error.strerror or error) from error
    folders = tuple(Path(flag[2:]) for flag in invocation.flags if flag.startswith("-I"))
    cuda = read_cuda(source, folders)
    blocks = (
        dict.fromkeys((item.name for item in cuda.kernels), block) if block else _launched(invocation, cuda, reporter)
    )
    options = PreprocessOptions(("cc",), tuple(flag for flag in invocation.flags if not flag.startswith("-std=")))
    plans = [
        plan
        for item in cuda.kernels
        for plan in _planned(cuda, item, blocks, options, gpu=gpu, threshold=threshold, reporter=reporter)
    ]
    return Preloaded(cuda, with_preloads(cuda, plans), tuple(plans), tuple(reporter.diagnostics))


def _planned(
    cuda: Cuda,
    item: Item,
    blocks: Mapping[str, Block],
    options: PreprocessOptions,
    *,
    gpu: Gpu,
    threshold: float,
    reporter: Reporter,
) -> list[Plan]:
    """The plan of one kernel; none where there is no view of it, or this run does not launch it."""
    block = blocks.get(item.name)
    if block is None:
        reporter.report("ACC978", kernel=item.name, reason="this run does not launch it")
        return []
    try:
        views = [view(cuda, item, arguments, options) for arguments in launched_instances(cuda, item)]
        return [_of_all_instances(cuda, [_plan(each, block, gpu, threshold) for each in views])]
    except NoViewError as error:
        reporter.report("ACC984", cuda.source.locate(error.span), kernel=item.name, reason=error.reason)
        return []


def _plan(found: KernelView, block: Block, gpu: Gpu, threshold: float) -> Plan:
    declares = (node for node in walk(found.body) if isinstance(node, Declare) and node.name in found.shared)
    own = sum(sizeof(node.type) for node in declares if isinstance(node.type, Array))
    return planned(found, block, limits_of(gpu, block, own), threshold)


def _of_all_instances(cuda: Cuda, plans: Sequence[Plan]) -> Plan:
    """The plan of a template, whose text is one: its instances have to get the same.

    Raises:
        NoViewError: they do not.
    """
    if len({with_preloads(cuda, [plan]) for plan in plans}) > 1:
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


def _launched(invocation: Invocation, cuda: Cuda, reporter: Reporter) -> dict[str, Block]:
    """The block of each kernel's first launch in a run, by the kernel's name."""
    found: dict[str, Block] = {}
    status = 0
    with tempfile.TemporaryDirectory(prefix="accache-") as folder:
        directory = Path(folder)
        built = build_cuda(invocation.name, Options(preprocessor=invocation.flags), directory, capture=True)
        for name in dict.fromkeys(item.name for item in cuda.kernels):
            captured, ended = first_of(built, name, invocation.arguments)
            status = status or ended
            if captured is not None:
                found[name] = captured.launch.block
    if not found:
        code = "ACC979" if status else "ACC972"
        raise reporter.fail(code, name=invocation.name, status=status, what="any kernel" if status else "no kernel")
    if status:
        reporter.report("ACC973", name=invocation.name, status=status)
    return found
