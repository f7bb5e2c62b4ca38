"""The parameters of a cache with their sources: measured, told by the vendor, or assumed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from accache.l1.gpus import Gpu, gpu_named

MEASURED, VENDOR, ASSUMED, GIVEN = "measured", "vendor", "assumed", "given"
SOURCES = (MEASURED, VENDOR, ASSUMED, GIVEN)
"""By microbenchmarks on the chip; in the vendor's documents; neither, so that others may be as likely; by the user, or
by the kernel."""

_FERMI = {
    "size": VENDOR,
    "sets": MEASURED,
    "ways": MEASURED,
    "line": VENDOR,
    "sector": VENDOR,
    "index": MEASURED,
    "replacement": ASSUMED,
    "mshrs": MEASURED,
    "warp_mshrs": MEASURED,
    "latency": ASSUMED,
    "deviation": ASSUMED,
    "hit_latency": ASSUMED,
    "writes": VENDOR,
    "lanes": VENDOR,
    "threads": VENDOR,
    "blocks": VENDOR,
    "registers": ASSUMED,
    "multiprocessors": ASSUMED,
    "shared": VENDOR,
    "l2_size": VENDOR,
    "l2_ways": ASSUMED,
}
_SINCE_VOLTA = {
    **_FERMI,
    **dict.fromkeys(("sets", "ways", "index", "mshrs", "warp_mshrs", "writes"), ASSUMED),
    "multiprocessors": VENDOR,
}
_SOURCES = {
    "fermi-16k": _FERMI,
    "fermi-48k": _FERMI,
    **dict.fromkeys(("v100", "a100", "h200"), _SINCE_VOLTA),
    "h100": {**_SINCE_VOLTA, "sector": MEASURED, "writes": MEASURED},  # samples/micro (bench/results)
}


@dataclass(frozen=True)
class Parameter:
    """One of them: sizes are in bytes; ``source`` is one of SOURCES."""

    name: str
    value: int | float | str | None
    source: str


def parameters(gpu: Gpu) -> tuple[Parameter, ...]:
    """All parameters of a cache; those that differ from its preset's are given, by an option or by the kernel."""
    preset = _values(gpu_named(gpu.name))
    sources = _SOURCES[gpu.name]
    return tuple(
        Parameter(name, value, sources[name] if value == preset[name] else GIVEN)
        for name, value in _values(gpu).items()
    )


def as_lines(found: Sequence[Parameter]) -> list[str]:
    """One line for each source that has parameters."""
    lines = []
    for source in SOURCES:
        own = [f"{parameter.name} {shown(parameter.value)}" for parameter in found if parameter.source == source]
        if own:
            lines.append(f"{source:<9} {', '.join(own)}")
    return lines


def _values(gpu: Gpu) -> dict[str, int | float | str | None]:
    return {
        "size": gpu.size,
        "sets": gpu.sets,
        "ways": gpu.ways,
        "line": gpu.line_bytes,
        "sector": gpu.sector_bytes,
        "index": gpu.index,
        "replacement": "lru",
        "mshrs": gpu.mshrs,
        "warp_mshrs": gpu.warp_mshrs,
        "latency": gpu.latency,
        "deviation": gpu.deviation,
        "hit_latency": gpu.hit_latency,
        "writes": gpu.writes,
        "lanes": "by width" if gpu.splits_wide else "together",
        "threads": gpu.threads,
        "blocks": gpu.blocks,
        "registers": gpu.registers or None,
        "multiprocessors": gpu.multiprocessors,
        "shared": gpu.unified.chosen if gpu.unified else None,
        "l2_size": gpu.l2.size,
        "l2_ways": gpu.l2.ways,
    }


def shown(value: float | str | None) -> str:
    """The value of a parameter in words."""
    return "none" if value is None else str(value)
