"""Give loads in PTX the cache operators that let them bypass L1; every other character stays."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from accache.base.choices import BypassMode
from accache.base.diagnostics import Reporter
from accache.base.text import Edit, Span, splice
from accache.ptx.loads.loads import Place, load_groups
from accache.ptx.text.syntax import Instruction, Module

Words = tuple[str, ...]
_LOAD = re.compile(r"\bld(?:\s*\.\s*[\w:]+)+")


def _no_allocate(words: Words) -> Words:
    """The words of a load that looks into L1 but takes no place there; they follow the space, and ``nc``."""
    behind = 1 + max(words.index(word) for word in ("global", "nc") if word in words)
    return (*words[:behind], "L1::no_allocate", *words[behind:])


def _cg(words: Words) -> Words:
    """The words of a load from L2; ``nc`` goes, since ptxas drops the operator of loads that have it."""
    behind = 1 + words.index("global")
    return (*words[:behind], "cg", *(word for word in words[behind:] if word != "nc"))


MODES: dict[BypassMode, Callable[[Words], Words]] = {"no_allocate": _no_allocate, "cg": _cg}
# the first version of PTX, and the first architecture, that know a mode (PTX ISA, "ld")
_SINCE = {"no_allocate": ((7, 4), 70), "cg": ((2, 0), 20)}
_HINTS = {"no_allocate": "--mode cg, or compile for a newer GPU", "cg": "compile for a newer GPU"}


def bypassing(module: Module, places: Iterable[Place], mode: BypassMode) -> str:
    """The text of a module in which the loads of some places bypass L1, by one of MODES.

    A load in there that must stay as it is does.

    Raises:
        CompileError: the version of PTX, or the architecture, does not know the mode.
    """
    chosen = set(places)
    _check(module, mode)
    edits: list[Edit] = []
    for kernel in module.kernels:
        for group in load_groups(module, kernel):
            if group.place in chosen and not group.kept:
                instructions = module.functions[group.place.function].instructions
                edits += [_edit(module, instructions[number], mode) for number in group.numbers]
    return splice(module.source, tuple(edits))


def _edit(module: Module, instruction: Instruction, mode: BypassMode) -> Edit:
    """The opcode of a load with other words behind it."""
    span = instruction.span
    found = _LOAD.search(module.source.text, span.start, span.end)
    assert found is not None, instruction
    words = ("ld", *MODES[mode](instruction.modifiers))
    return Edit(Span(*found.span()), ".".join(words))


def _check(module: Module, mode: str) -> None:
    version, architecture = _SINCE[mode]
    number = re.match(r"(?:sm|compute)_(\d+)", module.target[0])
    if module.version < version or number is None or int(number[1]) < architecture:
        written = f"PTX {'.'.join(map(str, module.version))} for {module.target[0]}"
        raise Reporter().fail("ACC963", written=written, mode=mode, hint=_HINTS[mode])
