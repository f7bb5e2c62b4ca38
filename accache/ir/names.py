"""Names: free ones, the user's spelling of unique ones, and the symbols of positions that templates spell."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, count

from accache.ir.polynomial import Polynomial

FIRST = "{}@first"
"""The first value that a loop's variable has in a block."""
WIDTH = "{}@width"
"""How many of a block's threads have an iteration of a loop."""
PLACE = "{}@place"
"""An iteration's place among those of its block, where threads have several."""
START = "{}@start"
"""How many blocks along an axis of the grid earlier launches of the same kernel have run."""


def free_name(wanted: str, is_taken: Callable[[str], bool]) -> str:
    """The name itself if it is free, else the first free one of ``wanted2, wanted3, ...``.

    >>> free_name("row", {"row", "row2"}.__contains__)
    'row3'
    """
    candidates = chain([wanted], (f"{wanted}{number}" for number in count(2)))
    return next(name for name in candidates if not is_taken(name))


def user_name(name: str) -> str:
    """The user's spelling of a unique name."""
    return name.partition("#")[0]


def base_of(variable: str) -> str:
    """The variable that holds the first of a thread's iterations of a loop over another one."""
    return f"{user_name(variable)}_base#{variable}"


def without_base(name: str) -> str:
    """The loop's own variable, where a name is that of a thread's first iteration.

    >>> without_base(base_of("j#2")), without_base("j_base#2")
    ('j#2', 'j_base#2')
    """
    variable = name.partition("_base#")[2]
    return variable if variable and base_of(variable) == name else name


def thread(axis: str) -> Polynomial:
    """The thread's position in its block."""
    return Polynomial.symbol(f"@thread.{axis}")


def block(axis: str) -> Polynomial:
    """The block's position in the grid."""
    return Polynomial.symbol(f"@block.{axis}")


def grid(axis: str) -> Polynomial:
    """The number of blocks."""
    return Polynomial.symbol(f"@grid.{axis}")


def extent(axis: str) -> Polynomial:
    """The number of threads a block has along an axis, where that is known at run time only."""
    return Polynomial.symbol(f"@extent.{axis}")
