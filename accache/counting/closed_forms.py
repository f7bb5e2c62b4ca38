"""What sympy knows of counts, kept by content in the user's cache folder as ``analysis/kept`` does.

Numbers and products of names are in closed form as they are, and differences of numbers need no proof: sympy is not
asked for those.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec import Struct

from accache.analysis import kept, linearity
from accache.base.store import cache_folder
from accache.counting import algebra, formulas
from accache.counting.formulas import Count, as_count, plain, plus, product
from accache.counting.tallies import AT_LEAST, AT_MOST, EXACT, Tally
from accache.ir.polynomial import Polynomial

Verdict: TypeAlias = Literal["always fewer", "never more", "never fewer", "undecided whether fewer"]
FEWER: Final = "always fewer"
NEVER_MORE: Final = "never more"
NEVER_FEWER: Final = "never fewer"
UNDECIDED: Final = "undecided whether fewer"

YES, NO = b"yes", b"no"
MADE_BY = tuple(str(module.__file__) for module in (algebra, formulas, linearity))


class _Closed(Struct, frozen=True, tag=True):
    """Asks how a count is written."""

    count: Count


class _NeverLess(Struct, frozen=True, tag=True):
    """Asks whether the first count is at least the second for all sizes for which the facts are positive."""

    first: Count
    second: Count
    facts: tuple[Polynomial, ...]


def closed_form(count: Count) -> str:
    """A count as a person writes it, which is a Python expression too."""
    if not count.atoms and len(count.polynomial.terms) < 2:
        return plain(str(count))
    return _kept(_Closed(count), str(cache_folder())).decode()


def never_less(first: Count, second: Count, facts: tuple[Polynomial, ...]) -> bool:
    """Whether it is proved that ``first >= second`` for all positive sizes for which all ``facts`` are positive.

    False says that there is no proof, not that it is less somewhere.
    """
    difference = plus(first, product(formulas.as_count(-1), second)).value
    if difference is not None:
        return difference >= 0
    return _kept(_NeverLess(first, second, facts), str(cache_folder())) == YES


@cache
def _kept(question: _Closed | _NeverLess, folder: str) -> bytes:
    """The answer to a question; ``folder`` is where it is kept."""
    is_answer: Callable[[bytes], bool] = bool if isinstance(question, _Closed) else (YES, NO).__contains__
    return kept.kept_answer("counts", msgspec.json.encode(question), MADE_BY, lambda: _answer(question), fits=is_answer)


def _answer(question: _Closed | _NeverLess) -> bytes:
    """What sympy finds."""
    if isinstance(question, _Closed):
        return algebra.closed_form(question.count).encode()
    return YES if algebra.never_less(question.first, question.second, question.facts) else NO


def verdict(before: Tally, after: Tally, facts: tuple[Polynomial, ...]) -> Verdict:
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
