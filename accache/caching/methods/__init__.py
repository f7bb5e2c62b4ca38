"""The cache methods (paper 004, section 3), one file each; METHODS is the one place they are listed.

A new method is one file here, one row in METHODS and one file of macros in templates/cuda/methods/.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from accache.base.options import Options
from accache.caching.methods import ehc, private, ranges, rbc, rbi
from accache.caching.requests import Request
from accache.ir.kernels.tiles import Tile, Traits


class Method(Struct, frozen=True):
    """A cache method.

    ``check`` gives the reason it cannot serve a request ('' if it can), ``planned`` the tile. ``traits`` are what all
    other passes know of it.
    """

    name: str
    check: Callable[[Request], str]
    planned: Callable[[Request], Tile]
    traits: Traits

    def plan(self, request: Request) -> Tile:
        """The tile that serves a request."""
        return replace(self.planned(request), method=self.name, traits=self.traits)


METHODS = (
    Method("rbi", rbi.check, ranges.tile, Traits()),
    Method("rbc", rbc.check, ranges.tile, Traits(may_miss=True, slots=8)),
    Method("ehc", ehc.check, ehc.plan, Traits(may_miss=True, slots=20)),
    Method("private", private.check, private.plan, Traits(may_miss=True, slots=30, by_lines=True)),
)

AUTOMATIC = ("rbi", "rbc")
"""The methods ``--method auto`` tries, in this order."""


def keeps_lines(name: str) -> bool:
    """Whether what the user asks for is a method that holds any part of an array."""
    return any(method.name == name and method.traits.by_lines for method in METHODS)


def by_lines(options: Options) -> Options:
    """Options that ask for the method that holds any part of an array."""
    return replace(options, method=next(method.name for method in METHODS if method.traits.by_lines))


def method_named(name: str) -> Method:
    """The row of a method."""
    return next(method for method in METHODS if method.name == name)
