"""What macros stand for, by their bodies: pragmas, and the heads of loops."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from accache.base.text import SourceFile
from accache.frontend.source.tokens import Token, matching, tokenise

_WORD = re.compile(r"[A-Za-z_]\w*")
_LOOPS = frozenset({"for", "while"})


def pragma_macros(bodies: Mapping[str, str]) -> frozenset[str]:
    """The macros whose expansion is one ``_Pragma(...)`` and nothing else."""
    found = {"_Pragma"}
    while True:
        more = {name for name, body in bodies.items() if name not in found and _is_one_call(body, found)}
        if not more:
            return frozenset(found - {"_Pragma"})
        found |= more


def _is_one_call(body: str, names: Collection[str]) -> bool:
    """Whether a macro body is one of the names with at most one argument list."""
    word = _WORD.match(body)
    if word is None or word.group() not in names:
        return False
    rest = body[word.end() :].strip()
    depth = 0
    for position, character in enumerate(rest):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            return position == len(rest) - 1 and character == ")"
    return not rest


def loop_macros(bodies: Mapping[str, str]) -> frozenset[str]:
    """The macros whose expansion is the head of a loop, or of several in each other, and nothing else.

    >>> sorted(loop_macros({"EACH": "for (int i = 0; i < (n); ++i)", "ALL": "EACH(i, n) EACH(j, m)", "N": "100"}))
    ['ALL', 'EACH']
    """
    found = set(_LOOPS)
    candidates = {name: body for name, body in bodies.items() if body.endswith(")") or body in bodies}
    while True:
        more = {name for name, body in candidates.items() if name not in found and _are_heads(body, found)}
        if not more:
            return frozenset(found - _LOOPS)
        found |= more


def _are_heads(body: str, names: Collection[str]) -> bool:
    """Whether a macro body is a row of the names, each with its list in parentheses if it has one."""
    word = _WORD.match(body)
    if word is None or word.group() not in names:
        return False
    tokens = tokenise(SourceFile("", body))
    index = 0
    while index < len(tokens):
        behind = after_head(tokens, index) if tokens[index].text in names else None
        if behind is None:
            return False
        index = behind
    return True


def after_head(tokens: Sequence[Token], index: int) -> int | None:
    """The token behind a word and its list in parentheses, if it has one; None if that list does not end."""
    if index + 1 >= len(tokens) or tokens[index + 1].text != "(":
        return index + 1
    close = matching(tokens, index + 1)
    return None if close is None else close + 1
