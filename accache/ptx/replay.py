"""Execute the launches of a run again, from PTX, and tell where memory differs from the run's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from accache.diagnostics import Reporter
from accache.ptx.compare import Difference, Latitude, compare
from accache.ptx.latitude import latitude_of
from accache.ptx.launch import Allocation, Captured, Launch
from accache.ptx.names import matching
from accache.ptx.syntax import Module

Execute: TypeAlias = Callable[[Module, Launch], tuple[Allocation, ...]]


@dataclass(frozen=True)
class Replayed:
    """A launch that was executed again: by what name PTX knows its kernel, and where memory differs."""

    captured: Captured
    latitude: Latitude
    differences: tuple[Difference, ...]


def replay(launches: Iterable[Captured], module: Module, execute: Execute) -> Iterator[Replayed]:
    """Execute each launch from its own memory, and compare what it leaves with what it left in the run.

    Raises CompileError (ACC942) for a kernel that the PTX does not have, and what ``execute`` raises.
    """
    for captured in launches:
        named = in_module(captured, module)
        latitude = latitude_of(module, named.launch.kernel)
        after = execute(module, named.launch)
        yield Replayed(named, latitude, tuple(compare(named, after, latitude)))


def in_module(captured: Captured, module: Module) -> Captured:
    """A launch with its kernel and variables under the names that a PTX module gives them.

    A variable that the module does not have is memory without a name. Raises CompileError (ACC942) if there is no such
    kernel.
    """
    kernels = [kernel.name for kernel in module.kernels]
    variables = [variable.name for variable in module.variables]
    kernel = matching(captured.launch.kernel, kernels)
    if kernel is None:
        raise Reporter().fail("ACC942", name=captured.launch.kernel)

    def named(memory: tuple[Allocation, ...]) -> tuple[Allocation, ...]:
        symbols = (matching(part.symbol, variables) or "" if part.symbol else "" for part in memory)
        return tuple(replace(part, symbol=symbol) for part, symbol in zip(memory, symbols, strict=True))

    launch = replace(captured.launch, kernel=kernel, memory=named(captured.launch.memory))
    return replace(captured, launch=launch, after=named(captured.after))
