"""A lowered region to its stub and kernels."""

from __future__ import annotations

from msgspec import Struct

from accache.analysis.aliasing import unproved_pairs
from accache.analysis.points_to import is_followed
from accache.emit.atomics import emulated_in
from accache.emit.kernel import KernelPrinter
from accache.emit.parameters import kernel_parameters, region_parameters
from accache.emit.program import RegionText
from accache.emit.stub import StubPrinter
from accache.emit.stub_names import Launch, Version
from accache.ir.regions import Region
from accache.lowering.lowered import LoweredKernel


class LoweredRegion(Struct, frozen=True):
    """A region's kernels, for each its version without caches (or None) and the pairs that decide between the two.

    Those with wide accesses may have a version for rows that are ``unaligned``.
    """

    region: Region
    kernels: tuple[LoweredKernel, ...]
    fallbacks: tuple[LoweredKernel | None, ...]
    unaligned: tuple[LoweredKernel | None, ...]
    pairs: tuple[tuple[tuple[str, str], ...], ...]
    taken: frozenset[str]


def print_region(lowered: LoweredRegion, line: bool) -> RegionText:
    """Print a region's kernels and stub; ``line`` asks for #line directives."""
    region = lowered.region
    others = (*lowered.unaligned, *lowered.fallbacks)
    everything = lowered.kernels + tuple(item for item in others if item is not None)
    parameters = region_parameters(region, everything)
    launches = []
    texts: list[str] = []
    versions = zip(lowered.kernels, lowered.fallbacks, lowered.unaligned, lowered.pairs, strict=True)
    for kernel, fallback, unaligned, pairs in versions:
        name = kernel.cached.kernel.name
        own = kernel_parameters([item for item in (kernel, fallback, unaligned) if item is not None], parameters)
        text = KernelPrinter(kernel, name, own, lowered.taken, _is_distinct(kernel, pairs), line).print()
        texts.append(text.text)
        third = None
        if unaligned is not None:
            remark = "The same without wide accesses, for launches whose rows are not aligned."
            distinct = _is_distinct(unaligned, pairs)
            printer = KernelPrinter(unaligned, f"{name}_unaligned", own, lowered.taken, distinct, line, remark)
            third = Version(unaligned, printer.print())
            texts.append(third.text.text)
        second = None
        if fallback is not None:
            remark = _why_uncached(kernel, pairs)
            is_as_true = kernel.cached.has_lines or _is_other(kernel)
            distinct = is_as_true and _is_distinct(fallback, ())  # no overlap is what leads there
            name_of_it = f"{name}_{_how(kernel)}"
            second = KernelPrinter(fallback, name_of_it, own, lowered.taken, distinct, line, remark).print()
            texts.append(second.text)
        launches.append(Launch(kernel, own, text, second, pairs, third))
    stub = StubPrinter(region, region.name(region.location.line), parameters, tuple(launches), line)
    return RegionText(region, stub, tuple(texts), emulated_in(kernel.body for kernel in everything))


def _how(kernel: LoweredKernel) -> str:
    """What tells the name of the version that any launch may take from the kernel's own."""
    cached = kernel.cached
    if cached.single is not None:
        return "single"
    if cached.kernel.sequential is not None:
        return "sequential"
    if cached.kernel.lengthwise is not None:
        return "lengthwise"
    return "unaligned" if cached.kernel.alignment else "uncached"


def _is_other(kernel: LoweredKernel) -> bool:
    """Whether no overlap of arrays leads to the version that any launch may take, but the launch's sizes."""
    return _how(kernel) in ("lengthwise", "unaligned")


def _why_uncached(kernel: LoweredKernel, pairs: tuple[tuple[str, str], ...]) -> str:
    """When a launch takes the version without caches."""
    reasons = ["arrays overlap"] if pairs else []
    reasons += ["an array is shorter than assumed"] if kernel.cached.assumptions else []
    reasons += ["accesses would not be aligned"] if kernel.cached.kernel.alignment else []
    reasons += ["unsigned numbers wrap"] if kernel.cached.sums else []
    reasons += ["there are few iterations"] if kernel.cached.fewest_blocks else []
    reasons += ["no line finds room"] if kernel.cached.has_lines else []
    reasons += ["L1 holds what all threads use"] if _only_where_they_pay(kernel) else []
    how = {
        "sequential": "run by one thread",
        "lengthwise": "with a block for each iteration",
        "single": "with one iteration a thread",
        "unaligned": "without wide accesses",
        "uncached": "without caches",
    }[_how(kernel)]
    return f"The same {how}, for launches where {' or '.join(reasons)}."


def _only_where_they_pay(kernel: LoweredKernel) -> bool:
    """Whether nobody asked for the lines of a kernel's threads."""
    return any(tile.lines is not None and tile.lines.streams for tile in kernel.cached.tiles)


def _is_distinct(kernel: LoweredKernel, checked: tuple[tuple[str, str], ...]) -> bool:
    """Whether no two arrays that a kernel takes are one memory, so that ``restrict`` is true of all.

    That the ``checked`` pairs do not overlap, the launch has made sure.
    """
    unproved = unproved_pairs(kernel.in_memory, kernel.written | kernel.memory)
    return is_followed(kernel.cached.body) and all((a.name, b.name) in checked for a, b in unproved)
