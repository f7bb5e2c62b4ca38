"""All generated programs, in families."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from types import ModuleType

from matrix import clauses, gangs, mappings, reads, records, reductions, tiles, writes
from matrix.builder import Program


@dataclass(frozen=True)
class Family:
    """Programs that differ in the same factors; a module with FACTORS and programs()."""

    module: ModuleType

    @property
    def name(self) -> str:
        """The module's name in this package."""
        return self.module.__name__.rpartition(".")[2]

    @property
    def factors(self) -> dict[str, tuple[str, ...]]:
        """What varies, and the values it takes."""
        return dict(self.module.FACTORS)

    def programs(self) -> tuple[Program, ...]:
        """A pairwise covering of the factors."""
        return _programs(self.module)


@cache
def _programs(module: ModuleType) -> tuple[Program, ...]:
    return tuple(module.programs())


FAMILIES = tuple(Family(module) for module in (reads, writes, tiles, gangs, mappings, reductions, clauses, records))


def all_programs() -> tuple[Program, ...]:
    """The programs of every family."""
    return tuple(program for family in FAMILIES for program in family.programs())
