"""What became of every cache directive, as data and as text."""

from __future__ import annotations

from dataclasses import dataclass

from accache.emit.regions import LoweredRegion
from accache.options import Options


@dataclass(frozen=True)
class SubarrayReport:
    """One subarray of one directive: what it became and why."""

    text: str
    line: int
    method: str
    reason: str
    scope: str
    policy: str


@dataclass(frozen=True)
class KernelReport:
    """One kernel: where it comes from and its launch shape."""

    function: str
    line: int
    block: tuple[int, int, int]
    subarrays: tuple[SubarrayReport, ...]


@dataclass(frozen=True)
class Report:
    """The kernels of a translation in source order."""

    kernels: tuple[KernelReport, ...]

    def __str__(self) -> str:
        lines = []
        for kernel in self.kernels:
            x, y, z = kernel.block
            lines.append(f"{kernel.function}, line {kernel.line}: {x}x{y}x{z} threads a block")
            for item in kernel.subarrays:
                where = f", {item.scope}" if item.scope else ""
                policy = f", write-{item.policy}" if item.policy else ""
                lines.append(f"  line {item.line}: cache({item.text}): {item.method}{where}{policy}: {item.reason}")
        return "\n".join(lines)


def make_report(regions: tuple[LoweredRegion, ...], options: Options) -> Report:
    """The report of a translation."""
    kernels = []
    for region in regions:
        for kernel in region.kernels:
            subarrays = tuple(
                SubarrayReport(
                    decision.text,
                    decision.location.line,
                    decision.method,
                    decision.reason,
                    decision.tile.scope if decision.tile else "",
                    decision.tile.policy if decision.tile else "",
                )
                for decision in kernel.cached.decisions
            )
            mapped = kernel.cached.kernel
            kernels.append(KernelReport(region.region.function, mapped.line, mapped.block, subarrays))
    return Report(tuple(kernels))
