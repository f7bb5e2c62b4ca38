"""Functions of the user that kernels call (OpenACC 3.3, section 2.15)."""

from __future__ import annotations

from msgspec import Struct

from accache.ir.regions import FreeVariable
from accache.ir.tree import Expr, Stmt
from accache.ir.types import CType
from accache.text import Location

LEVELS = ("seq", "vector", "worker", "gang")
"""The levels of routines, each of which may call those before it."""


def device_suffix(level: str) -> str:
    """What the name of a function's device version has more than the function's.

    The level is in it, so that a caller that declares another level finds none, and is not linked.
    """
    return "_device" if level in ("", "seq") else f"_{level}"


class Routine(Struct, frozen=True):
    """A function as the device sees it.

    ``symbol`` is the name of its device version, ``level`` one of LEVELS or '' where no directive gives one.
    A routine that is not ``static`` may be called from other files; without a ``body`` it stands in one.
    A ``recursive`` one is called by routines that stand before it, itself perhaps among them.
    """

    name: str
    symbol: str
    level: str
    static: bool
    location: Location
    result: CType
    parameters: tuple[FreeVariable, ...]
    body: Stmt | None = None
    recursive: bool = False


class Constant(Struct, frozen=True):
    """A const variable of the file that routines use, and what it is initialised with."""

    name: str
    type: CType
    value: Expr
