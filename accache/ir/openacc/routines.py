"""Functions of the user that kernels call (OpenACC 3.3, section 2.15)."""

from __future__ import annotations

from typing import Literal, get_args

from msgspec import Struct

from accache.base.text import Location
from accache.ir.openacc.regions import FreeVariable
from accache.ir.tree import Expr, Level, Stmt
from accache.ir.types import Array, CType, Pointer, resolve

LEVELS: tuple[Level, ...] = get_args(Level)
"""The levels of routines, each of which may call those before it."""


def device_suffix(level: str) -> str:
    """What the name of a function's device version has more than the function's.

    The level is in it, so that a caller that declares another level finds none, and is not linked.
    """
    return "_device" if level in ("", "seq") else f"_{level}"


class Resident(Struct, frozen=True):
    """A variable of the file under ``declare``, which lives on the device, too.

    Routines reach the copy by a pointer on the device, the ``symbol`` of type ``pointer``, which the run-time library
    sets. ``location`` is that of the directive.
    """

    variable: str
    symbol: str
    type: CType
    pointer: CType
    location: Location

    @property
    def is_pointer(self) -> bool:
        """Whether the variable itself is one: its copy leads to the copy of what it leads to."""
        return isinstance(resolve(self.type), Pointer)

    @property
    def is_array(self) -> bool:
        """Whether the variable is one."""
        return isinstance(resolve(self.type), Array)


class Routine(Struct, frozen=True):
    """A function as the device sees it.

    ``symbol`` is the name of its device version, ``level`` one of LEVELS or '' where no directive gives one.
    A routine that is not ``static`` may be called from other files; without a ``body`` it stands in one.
    A ``recursive`` one is called by routines that stand before it, itself perhaps among them. Variables of the
    file that it uses are ``residents`` of the device.
    """

    name: str
    symbol: str
    level: Level | Literal[""]
    static: bool
    location: Location
    result: CType
    parameters: tuple[FreeVariable, ...]
    body: Stmt | None = None
    recursive: bool = False
    residents: tuple[Resident, ...] = ()

    @property
    def used(self) -> tuple[FreeVariable, ...]:
        """The variables that the body does not declare: parameters, and pointers to variables on the device."""
        pointers = (FreeVariable(item.symbol, item.pointer, is_static=True) for item in self.residents)
        return (*self.parameters, *pointers)


class Constant(Struct, frozen=True):
    """A const variable of the file that routines use, and what it is initialised with."""

    name: str
    type: CType
    value: Expr
