"""A region's launch plan to its stub and kernels."""

from __future__ import annotations

from accache.emit.host.stub import StubPrinter
from accache.emit.kernels.atomics import emulated_in
from accache.emit.kernels.kernel import KernelPrinter
from accache.emit.program import RegionText
from accache.ir.launch_plan import RegionPlan


def print_region(plan: RegionPlan, line: bool) -> RegionText:
    """Print a region's kernels and stub; ``line`` asks for #line directives."""
    versions = [(version.kernel, launch) for launch in plan.launches for version in launch.versions]
    texts = (KernelPrinter(kernel, launch.parameters, plan.taken, line).print() for kernel, launch in versions)
    stub = StubPrinter(plan, line)
    return RegionText(plan.region, stub, tuple(texts), emulated_in(kernel.body for kernel, _ in versions))
