"""Execute the launches of a run again, from PTX, and tell where memory differs from the run's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from accache.base.diagnostics import Reporter
from accache.ptx.machine.failures import LaunchError
from accache.ptx.machine.launch import Allocation, Captured, Launch
from accache.ptx.replay.compare import Difference, Latitude, compare
from accache.ptx.replay.latitude import latitude_of, takes_turns
from accache.ptx.replay.names import matching, matching_kernel
from accache.ptx.text.syntax import Module

Execute: TypeAlias = Callable[[Module, Launch], tuple[Allocation, ...]]


@dataclass(frozen=True)
class Replayed:
    """A launch that was executed again: by what name PTX knows its kernel, and where memory differs.

    ``latitude`` is what was needed of the kernel's, ``unordered`` are differences in memory that depends on the order
    of threads on the CPU, too. ``failure`` says why the launch fails in PTX; then nothing was compared.
    """

    captured: Captured
    latitude: Latitude
    differences: tuple[Difference, ...]
    unordered: tuple[Difference, ...]
    failure: str = ""


def replay(launches: Iterable[Captured], module: Module, execute: Execute) -> Iterator[Replayed]:
    """Execute each launch from its own memory, and compare what it leaves with what it left in the run.

    The launches have the module's names (:func:`in_module`). Raises what ``execute`` raises, but LaunchError.
    """
    for named in launches:
        try:
            after = execute(module, named.launch)
        except LaunchError as error:
            yield Replayed(named, Latitude(), (), (), error.diagnostics[0].message)
            continue
        is_equal = not any(compare(named, after))
        latitude = Latitude() if is_equal else latitude_of(module, named.launch.kernel)
        differences = () if is_equal else tuple(compare(named, after, latitude))
        other_order = compare(named, named.reordered, latitude) if differences and named.reordered else ()
        unordered = {found.address for found in other_order}
        yield Replayed(
            named,
            latitude,
            tuple(found for found in differences if found.address not in unordered),
            tuple(found for found in differences if found.address in unordered),
        )


def in_module(captured: Captured, module: Module) -> Captured:
    """A launch with its kernel and variables under the names that a PTX module gives them.

    A variable that the module does not have is memory without a name. Raises CompileError (ACC942) if there is no such
    kernel.
    """
    kernels = [kernel.name for kernel in module.kernels]
    variables = [variable.name for variable in module.variables]
    kernel = matching_kernel(captured.launch.kernel, kernels)
    if kernel is None:
        raise Reporter().fail("ACC942", name=captured.launch.kernel)

    def named(memory: tuple[Allocation, ...]) -> tuple[Allocation, ...]:
        symbols = (matching(part.symbol, variables) or "" if part.symbol else "" for part in memory)
        return tuple(replace(part, symbol=symbol) for part, symbol in zip(memory, symbols, strict=True))

    launch = replace(captured.launch, kernel=kernel, memory=named(captured.launch.memory))
    return replace(captured, launch=launch, after=named(captured.after), reordered=named(captured.reordered))


def unordered_kernels(module: Module) -> tuple[str, ...]:
    """The kernels whose results may depend on the order in which their threads come to atomic operations."""
    return tuple(kernel.name for kernel in module.kernels if takes_turns(module, kernel.name))
