"""What became of directives in sentences: of one subarray, and of a kernel in one sentence with its bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from accache.caching.estimates.candidates import PLAIN
from accache.report.records import CandidateReport, Change, KernelReport, SubarrayReport
from accache.report.warps import SECTOR

_FATES = {
    "register": ("stays in registers", "stay in registers"),
    "local": ("belongs to one thread", "belong to one thread"),
}
_LOADS = ": a block loads"


def element_bytes(item: SubarrayReport) -> int:
    """The bytes of an element of a tile, flags not counted; 0 if that cannot be told."""
    count = prod(item.extents)
    return item.shared_bytes // count if count and item.shared_bytes % count == 0 and not item.tracking else 0


def sentence_of(item: SubarrayReport, shown: SubarrayReport) -> str:
    """What became of a subarray, with its bytes; ``shown`` has the tile that it would have, or has."""
    (told,) = _fates((item,))
    return f"{told}.{_otherwise(item, shown)}"


def verdict_of(kernel: KernelReport, shown: Sequence[SubarrayReport]) -> str:
    """What became of a kernel's directives in one sentence with its bytes.

    ``shown`` are its subarrays with the tiles that they would have, or have.
    """
    told = list(_fates(kernel.subarrays)) or ["no cache directive"]
    left_out = [found for item, found in zip(kernel.subarrays, shown, strict=True) if found.tile and not item.tile]
    if not any(item.tile and _are_numbers(item.loads) for item in kernel.subarrays):
        told += (*_tile_loads(left_out), *_asked(kernel))
    return f"{kernel.function}(), line {kernel.line}: {'; '.join(told)}."


def _fates(items: Sequence[SubarrayReport]) -> Iterator[str]:
    """What became of subarrays, without an end; those of which the same is said are named together."""
    names: dict[tuple[str, str, str], list[str]] = {}
    for item in items:
        names.setdefault(_fate(item), []).append(item.written)
    for (one, several, more), written in names.items():
        listed = [f"cache({name})" for name in dict.fromkeys(written)]
        who = " and ".join(filter(None, (", ".join(listed[:-1]), listed[-1])))
        yield (
            f"{who} {one}{more}"
            if len(listed) == 1
            else f"{who} {several}{more}".replace(_LOADS, f": of each{_LOADS[1:]}")
        )


def _fate(item: SubarrayReport) -> tuple[str, str, str]:
    """What is said of a subarray: the verb for one, for several, and the rest."""
    if item.tile:
        return "is kept", "are each kept", f" {_kept(item)}"
    why = f": {item.obstacle or item.reason}"
    if item.line_bytes:
        lines = f"lines of {item.line_bytes} bytes for each thread{why}"
        return "has", "have", f" {lines}"
    if item.is_gang_local:
        return "is", "are", f" the gang's own, in {item.shared_bytes:,} bytes of shared memory{why}"
    return *_FATES.get(item.method, ("is not cached", "are not cached")), why


def _kept(item: SubarrayReport) -> str:
    """Where a tile is kept, and what a block then loads."""
    whose = "for the block" if item.scope == "block" else "for each thread"
    text = f"in {item.shared_bytes:,} bytes of shared memory {whose} ({item.method})"
    loads = item.loads
    if loads is None or loads.before == loads.after:
        return text
    if loads.before.value is None or loads.after.value is None:
        return f"{text}{_LOADS} {loads.after} elements in place of {loads.before}"
    return f"{text}{_LOADS} {_fewer(loads, element_bytes(item))}" if loads.before.value else text


def _fewer(loads: Change, unit: int) -> str:
    """So many elements in place of others, with their bytes."""
    before, after = loads.before.value, loads.after.value
    assert before
    assert after is not None
    percent = round(100 - 100 * after / before)
    change = f"{percent} % fewer" if percent >= 0 else f"{-percent} % more"
    sizes = f" ({after * unit:,} bytes for {before * unit:,})" if unit else ""
    return f"{after:,} elements in place of {before:,}{sizes}, {change}"


def _otherwise(item: SubarrayReport, shown: SubarrayReport) -> str:
    """What a tile would take and save that was left out; '' if none was, or nobody knows."""
    loads = shown.loads
    if item.tile or not shown.tile or loads is None or loads.before.value is None or loads.after.value is None:
        return ""
    told = f"A tile would take {shown.shared_bytes:,} bytes of shared memory"
    return f" {told}, and a block would load {loads.after.value:,} elements in place of {loads.before.value:,}."


def _tile_loads(left_out: Sequence[SubarrayReport]) -> Iterator[str]:
    """What tiles would take that were left out, and save where that is a number."""
    if not left_out:
        return
    count = "a tile" if len(left_out) == 1 else f"{len(left_out)} tiles"
    text = f"{count} would take {sum(item.shared_bytes for item in left_out):,} bytes of shared memory"
    loads = left_out[0].loads
    if len(left_out) == 1 and loads is not None and loads.before.value and loads.after.value is not None:
        text += f" and a block would load {_fewer(loads, element_bytes(left_out[0]))}"
    yield text


def _are_numbers(loads: Change | None) -> bool:
    return loads is not None and bool(loads.before.value) and loads.after.value is not None


def _asked(kernel: KernelReport) -> Iterator[str]:
    """What a warp asks L1 for in one iteration of its threads, in the emitted form and in the plain one."""
    emitted = next((item for item in kernel.candidates if item.chosen), None)
    plain = next((item for item in kernel.candidates if item.name == PLAIN), None)
    if emitted is None:
        return
    text = f"for an iteration of its threads a warp asks L1 for an estimated {_bytes(emitted)} bytes"
    if plain is not None and _bytes(plain) != _bytes(emitted):
        text += f" ({_bytes(plain)} with one iteration a thread and no tile)"
    yield text


def _bytes(item: CandidateReport) -> str:
    return f"{round(SECTOR * item.sectors):,}"
