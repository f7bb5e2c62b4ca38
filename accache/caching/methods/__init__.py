"""The cache methods (paper 004, section 3), one file each, listed in METHODS.

docs/architecture.md has the recipe for another one.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from accache.base.choices import MethodName
from accache.base.options import Options
from accache.caching.methods import ehc, private, ranges, rbc, rbi, registers
from accache.caching.requests import Request
from accache.ir.kernels.tiles import Tile, Traits

PRIVATE_REGISTERS = "registers belong to one thread"
"""Why a block cannot share what a method keeps in registers."""


class Method(Struct, frozen=True):
    """A cache method: a module's ``check`` and ``plan`` as ``checked`` and ``planned``, and its ``traits``."""

    name: MethodName
    checked: Callable[[Request], str]
    planned: Callable[[Request], Tile]
    traits: Traits

    def check(self, request: Request) -> str:
        """The reason it cannot serve a request; '' if it can."""
        return self.checked(self._asked(request))

    def plan(self, request: Request) -> Tile:
        """The tile that serves a request."""
        return replace(self.planned(self._asked(request)), method=self.name, traits=self.traits)

    def _asked(self, request: Request) -> Request:
        """A request for a tile of each thread's own, if the method knows no other."""
        if not self.traits.in_registers:
            return request
        return replace(request, sharing=replace(request.sharing, obstacle=PRIVATE_REGISTERS))


METHODS = (
    Method("rbi", rbi.check, ranges.tile, Traits()),
    Method("rbc", rbc.check, ranges.tile, Traits(may_miss=True, slots=8)),
    Method("ehc", ehc.check, ehc.plan, Traits(may_miss=True, slots=20)),
    Method("registers", registers.check, ranges.tile, Traits(in_registers=True)),
    Method("private", private.check, private.plan, Traits(may_miss=True, slots=30, by_lines=True)),
)

ALONE = ("registers",)
"""Those tried before AUTOMATIC where no two threads need an element."""
AUTOMATIC = ("rbi", "rbc")
"""The methods ``--method auto`` tries, in this order."""


def is_second_choice(tile: Tile) -> bool:
    """Whether ``--method auto`` took a tile's method because the first of AUTOMATIC cannot serve."""
    return tile.method in AUTOMATIC[1:]


def keeps_lines(name: str) -> bool:
    """Whether what the user asks for is a method that holds any part of an array."""
    return any(method.name == name and method.traits.by_lines for method in METHODS)


def by_lines(options: Options) -> Options:
    """Options that ask for the method that holds any part of an array."""
    return replace(options, method=next(method.name for method in METHODS if method.traits.by_lines))


def method_named(name: str) -> Method:
    """The row of a method."""
    return next(method for method in METHODS if method.name == name)
