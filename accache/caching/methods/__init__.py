"""The cache methods (paper 004, section 3), one file each; METHODS is the one place they are listed.

A new method is one file here, one row in METHODS and one file of macros in templates/cuda/methods/.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from accache.caching.methods import ehc, rbc, rbi
from accache.caching.requests import Request
from accache.ir.simt import Tile


class Method(Struct, frozen=True):
    """A cache method: ``check`` gives the reason it cannot serve a request ('' if it can), ``plan`` the tile."""

    name: str
    check: Callable[[Request], str]
    plan: Callable[[Request], Tile]


METHODS = (
    Method("rbi", rbi.check, rbi.plan),
    Method("rbc", rbc.check, rbc.plan),
    Method("ehc", ehc.check, ehc.plan),
)

AUTOMATIC = ("rbi", "rbc")
"""The methods ``--method auto`` tries, in this order."""


def method_named(name: str) -> Method:
    """The row of a method."""
    return next(method for method in METHODS if method.name == name)
