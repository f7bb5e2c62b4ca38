"""Names that nothing else has."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, count


def free_name(wanted: str, is_taken: Callable[[str], bool]) -> str:
    """The name itself if it is free, else the first free one of ``wanted2, wanted3, ...``.

    >>> free_name("row", {"row", "row2"}.__contains__)
    'row3'
    """
    candidates = chain([wanted], (f"{wanted}{number}" for number in count(2)))
    return next(name for name in candidates if not is_taken(name))
