"""The words that stand for choices: those that options may have, and what became of a subarray."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

MethodName: TypeAlias = Literal["rbi", "rbc", "ehc", "registers", "private"]
"""A cache method, each with a row in the table of ``caching.methods``."""
MethodChoice: TypeAlias = Literal["auto", MethodName, "scratch", "none"]
"""What a user asks for."""
Fate: TypeAlias = Literal[MethodName, "scratch", "register", "local", "off", "none"]
"""What became of a subarray: a method, the gang's own array, registers, a thread's own data, no caching, none pays."""
WriteChoice: TypeAlias = Literal["auto", "back", "through"]
WidthChoice: TypeAlias = Literal["auto", "kernel-args", "sync", "fixed"]
ScopeChoice: TypeAlias = Literal["auto", "private", "communicating"]
TuneChoice: TypeAlias = Literal["model", "off", "measure"]
CoarsenChoice: TypeAlias = Literal[
    "auto", "off", "2", "4", "8", "2x2", "4x2", "8x2", "2x4", "4x4", "8x4", "4x1x1", "8x1x1"
]
WideChoice: TypeAlias = Literal["auto", "on", "off"]
LoadPolicy: TypeAlias = Literal["ca", "cg", "no_allocate", "evict_first", "evict_last"]
"""What a load does in L1 (``l1.policies``)."""
BypassMode: TypeAlias = Literal["no_allocate", "cg"]
"""How a load passes L1 by."""
LineChoice: TypeAlias = Literal["auto", "16", "32", "mixed"]

TargetName: TypeAlias = Literal["cpu", "cuda"]
"""What programs are made for: this machine's CPU, or a GPU."""

METHODS: Final[tuple[MethodChoice, ...]] = get_args(MethodChoice)
WRITES: Final[tuple[WriteChoice, ...]] = get_args(WriteChoice)
WIDTHS: Final[tuple[WidthChoice, ...]] = get_args(WidthChoice)
SCOPES: Final[tuple[ScopeChoice, ...]] = get_args(ScopeChoice)
TUNING: Final[tuple[TuneChoice, ...]] = get_args(TuneChoice)
COARSENING: Final[tuple[CoarsenChoice, ...]] = get_args(CoarsenChoice)
WIDE: Final[tuple[WideChoice, ...]] = get_args(WideChoice)
LINES: Final[tuple[LineChoice, ...]] = get_args(LineChoice)
TARGETS: Final[tuple[TargetName, ...]] = get_args(TargetName)


class Fated:
    """What became of a subarray: its ``method`` is one that was chosen, or says what was done in its place."""

    method: Fate

    @property
    def stays_in_registers(self) -> bool:
        """Whether the compiler keeps the data in registers, which no method has done."""
        return self.method == "register"

    @property
    def is_gang_local(self) -> bool:
        """Whether it is an array of the gang's own, which lies in shared memory as it is."""
        return self.method == "scratch"
