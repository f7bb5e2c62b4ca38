"""Which of two tallies is less, whatever sizes the names in them stand for."""

from __future__ import annotations

from accache.counting.closed_forms import never_less
from accache.counting.formulas import as_count, plus
from accache.counting.tallies import AT_LEAST, AT_MOST, EXACT, Tally
from accache.ir.polynomial import Polynomial

FEWER, NEVER_MORE, NEVER_FEWER, UNDECIDED = "always fewer", "never more", "never fewer", "undecided whether fewer"


def verdict(before: Tally, after: Tally, facts: tuple[Polynomial, ...]) -> str:
    """What is proved of ``after`` beside ``before`` for all positive sizes for which all ``facts`` are positive.

    A bound tells no more than it bounds: at most 5 may be none.
    """
    if before.bound in (EXACT, AT_LEAST) and after.bound in (EXACT, AT_MOST):
        if never_less(before.count, plus(after.count, as_count(1)), facts):
            return FEWER
        if never_less(before.count, after.count, facts):
            return NEVER_MORE
    is_floor = before.bound in (EXACT, AT_MOST) and after.bound in (EXACT, AT_LEAST)
    return NEVER_FEWER if is_floor and never_less(after.count, before.count, facts) else UNDECIDED
