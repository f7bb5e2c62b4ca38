"""Types that C++ would take otherwise from an expression: those of ``typeof`` and ``__auto_type``."""

from __future__ import annotations

from collections.abc import Sequence

from accache.frontend.alignment import Unit
from accache.frontend.cplusplus_output import Edits
from accache.frontend.gnu import TYPEOF
from accache.frontend.tokens import tokenise

_SMALLER = frozenset(("!", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "?"))


def check_deduced_types(unit: Unit, edits: Edits) -> None:
    """Refuse types of characters, truth values and conditionals, which may be smaller in C++."""
    for index, text in enumerate(unit.tokens):
        if text == TYPEOF and unit.is_main(index) and _may_be_smaller(_operand(unit, index)):
            edits.refuse("ACC511", index, what="the type of a character, a truth value or a conditional")


def _operand(unit: Unit, index: int) -> Sequence[str]:
    """The tokens that the type at a token is taken from."""
    span = unit.origins[index].span
    if span is None:
        return ()
    written = [token.text for token in tokenise(unit.source, span.start, span.end)]
    if written != ["__auto_type"]:
        return written[2:-1]
    start = index
    while unit.tokens[start] not in ("=", ";"):
        start += 1
    return unit.tokens[start + 1 : unit.end(start + 1) + 1]


def _may_be_smaller(tokens: Sequence[str]) -> bool:
    """Whether an expression may be an int to C and a char, a bool or a short to C++.

    What stands in subscripts and arguments is not looked at.
    """
    inner: list[bool] = []  # of each open bracket, whether it is a subscript or argument list
    before = ""
    for text in tokens:
        if text in ("(", "["):
            inner.append(text == "[" or before.isidentifier())
        elif text in (")", "]") and inner:
            inner.pop()
        elif not any(inner) and (text in _SMALLER or text.startswith("'")):
            return True
        before = text
    return False
