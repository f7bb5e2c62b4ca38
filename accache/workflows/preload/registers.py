"""Copies that cost registers: of kernels of which fewer blocks would be resident, none is made."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path

from msgspec.structs import replace

from accache.base.architectures import Architecture
from accache.base.diagnostics import CompileError
from accache.emit.preload.names import COPIED
from accache.l1.gpus import Gpu
from accache.preload.plan import Plan
from accache.ptx.replay.names import plain_name
from accache.workflows.bypass.running import Invocation
from accache.workflows.cuda import known_architectures
from accache.workflows.resource_usage import Usage, resource_usage


def as_resident(plans: Sequence[Plan], text: str, invocation: Invocation, gpu: Gpu) -> tuple[Plan, ...]:
    """The plans of a program that ``text`` is with all their copies, those without that cost resident blocks.

    Registers are those that ptxas tells for the GPU. Where no nvcc knows it, or takes the text, nothing is known, and
    all copies stay.
    """
    chip = gpu.unified.architecture if gpu.unified is not None else None
    if chip is None or chip.name not in known_architectures() or not any(plan.tiles for plan in plans):
        return tuple(plans)
    with tempfile.TemporaryDirectory(prefix="accache-") as folder:
        path = Path(folder) / Path(invocation.name).name
        path.write_text(text, encoding="utf-8", errors="surrogateescape", newline="")
        flags = ("-I", str(Path(invocation.name).resolve().parent), *invocation.compiling)
        try:
            found = resource_usage(path, Path(folder), chip.name, "preload", flags=flags)
        except CompileError:
            return tuple(plans)
    return tuple(_checked(plan, found, chip) for plan in plans)


def _checked(plan: Plan, found: Mapping[str, Usage], chip: Architecture) -> Plan:
    """A plan without copies if its kernel's second version has fewer blocks on a multiprocessor than the first."""
    name = plan.view.item.name
    before = _most(found, [each for each in found if plain_name(each) == name])
    after = _most(found, [each for each in found if plain_name(each).startswith(name + COPIED)])
    blocks, then = (chip.resident_blocks(prod(plan.block), each.shared, each.registers) for each in (before, after))
    if not plan.tiles or not before.registers or then >= blocks:
        return plan
    reason = f"{then} in the place of {blocks} blocks would be resident, with {after.registers} registers a thread"
    copied = {tile.array for tile in plan.tiles}
    decisions = (
        replace(item, tile=None, best=item.tile, reason=reason) if item.array in copied else item
        for item in plan.decisions
    )
    return replace(plan, tiles=(), decisions=tuple(decisions))


def _most(found: Mapping[str, Usage], names: Sequence[str]) -> Usage:
    """What the instances of a kernel take at most."""
    usages = [found[name] for name in names]
    registers = max((usage.registers for usage in usages), default=0)
    return Usage(registers, max((usage.shared for usage in usages), default=0))
