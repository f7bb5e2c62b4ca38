"""How long the device's copies of variables last that start without a value, and which constructs meet them."""

from __future__ import annotations

from msgspec import Struct

from accache.ir.openacc.regions import DataClause


class Visit(Struct, frozen=True):
    """A compute construct, by its place among the program's, while a copy lasts.

    The ``followers`` stand behind it, or are itself, and may yet run before it: a loop of the host is around. It
    ``may_be_filled`` then by something else, too. One that ``is_first`` runs in the loop's first iteration, before all
    of these; ``changed`` are the variables that the loop gives other values.
    """

    construct: int
    followers: tuple[int, ...] = ()
    may_be_filled: bool = False
    is_first: bool = True
    changed: frozenset[str] = frozenset()


class Lifetime(Struct, frozen=True):
    """The copy that a ``create`` or ``copyout`` clause makes of a variable which is not on the device before.

    ``visits`` are in the order of the text, up to what may fill the copy and is no compute construct. The memory of a
    variable that ``is_apart`` is reached by its name alone; else pointers may lead to it.
    """

    clause: DataClause
    visits: tuple[Visit, ...]
    is_apart: bool = True
