"""The clauses of a directive that are meant for our device (OpenACC 3.3, section 2.4).

Before: ``num_gangs(8) device_type(host) num_gangs(2) device_type(nvidia) num_gangs(64)``.
After: ``num_gangs(64)``.
"""

from __future__ import annotations

from msgspec.structs import replace

from accache.base.diagnostics import Reporter
from accache.ir.openacc.directives import Clause, Directive

DEVICE_NAMES = frozenset(("nvidia", "cuda"))
"""The names of the device we make code for, in lower case."""

SELECTING = ("init", "shutdown", "set")
"""Directives whose device_type says what they act on; it guards no clauses."""


_SPECIFIC = """
    device_type async wait num_gangs num_workers vector_length
    collapse gang worker vector seq independent auto tile bind
"""
SPECIFIC = frozenset(_SPECIFIC.split())
"""The clauses that may follow a device_type."""


def for_our_device(directive: Directive, reporter: Reporter) -> Directive:
    """The directive with the clauses that hold for NVIDIA GPUs, and without ``device_type``.

    A clause after ``device_type(nvidia)`` takes the place of one of its kind in front, or after
    ``device_type(*)``. Reports clauses after a device_type that cannot differ between devices.
    """
    if directive.name in SELECTING or not directive.has("device_type"):
        return directive
    position = next(k for k, clause in enumerate(directive.clauses) if clause.name == "device_type")
    for clause in directive.clauses[position:]:
        if clause.name not in SPECIFIC:
            reporter.report("ACC221", clause.location, clause=clause.name)
    general, starred, named = _groups(directive.clauses)
    kept: list[Clause] = []
    for group in (named, starred, general):
        kinds = {clause.name for clause in kept}
        kept += [clause for clause in group if clause.name not in kinds]
    order = {id(clause): position for position, clause in enumerate(directive.clauses)}
    return replace(directive, clauses=tuple(sorted(kept, key=lambda clause: order[id(clause)])))


def _groups(clauses: tuple[Clause, ...]) -> tuple[list[Clause], list[Clause], list[Clause]]:
    """The clauses for every device, those after ``device_type(*)``, and those for our device by name."""
    general: list[Clause] = []
    starred: list[Clause] = []
    named: list[Clause] = []
    group = general
    for clause in clauses:
        if clause.name != "device_type":
            group.append(clause)
            continue
        words = {argument.value.text.lower().removeprefix("acc_device_") for argument in clause.arguments}
        group = named if words & DEVICE_NAMES else starred if "*" in words else []
    return general, starred, named
