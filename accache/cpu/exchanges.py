"""Let the checker see that the old value of an atomic exchange is used: an exchange alone may be the first to write.

    while (atomicExch(p, 1) != 0) ;   ->  while (ACCACHE_CPU_OLD(atomicExch(p, 1)) != 0) ;
    int old = atomicExch(p, 1);       ->  int old = atomicExch(p, 1); ACCACHE_CPU_OLD_LOCAL(old)

Where the value is certain to be used, as an operand, a condition or an index, it is used at once. A variable that is
declared with it has no value if the memory had none. Elsewhere nobody knows here what becomes of it.
"""

from __future__ import annotations

from accache.base.text import Edit, Span
from accache.cpu.tokens import Token, closing

_EXCHANGES = frozenset(("atomicExch", "atomicExch_block", "atomicExch_system"))
_BEHIND = frozenset("=!<>+-*/%&|^?")  # what goes on with a value; "=" begins "=="
_BEFORE = frozenset("!~+-/%|^")  # others may belong to a type
_CONDITIONS = frozenset(("if", "while", "switch"))
_ENDS = frozenset("{};")
_NO_TYPES = frozenset(("return", "else", "do", "goto", "case", "throw", "delete", "using", "typedef", "static"))


def exchange_edits(tokens: tuple[Token, ...]) -> list[Edit]:
    """The edits that mark what the text does with old values of exchanges."""
    edits: list[Edit] = []
    for position, token in enumerate(tokens[:-1]):
        if token.text not in _EXCHANGES or tokens[position + 1].text != "(" or not position:
            continue
        last = closing(tokens, position + 1)
        if last + 1 >= len(tokens):
            continue
        if _is_used(tokens, position, last):
            edits.append(Edit(Span(token.start, token.start), "ACCACHE_CPU_OLD("))
            edits.append(Edit(Span(tokens[last].end, tokens[last].end), ")"))
        elif name := _declared(tokens, position, last):
            end = tokens[last + 1].end
            edits.append(Edit(Span(end, end), f" ACCACHE_CPU_OLD_LOCAL({name})"))
    return edits


def _is_used(tokens: tuple[Token, ...], first: int, last: int) -> bool:
    """Whether the call from ``first`` to ``last`` is an operand, a condition or an index."""
    before, behind = tokens[first - 1].text, tokens[last + 1].text
    earlier = tokens[first - 2] if first > 1 else None
    if before in (".", "::") or (before == ">" and earlier and earlier.text == "-"):
        return False  # a routine of something else
    if behind in _BEHIND or before in _BEFORE:
        return True
    if earlier and before == "=":
        return earlier.text in "=!<>" and earlier.end == tokens[first - 1].start
    in_condition = before == "(" and earlier and earlier.text in _CONDITIONS
    return (before == "[" and behind == "]") or bool(in_condition and behind == ")")


def _declared(tokens: tuple[Token, ...], first: int, last: int) -> str:
    """The variable that is declared with the value of the call, as all that its statement does; '' if there is none."""
    if first < 3 or tokens[first - 1].text != "=" or tokens[last + 1].text != ";":
        return ""
    start = first - 2
    while start and tokens[start - 1].is_name:
        start -= 1
    words = [token.text for token in tokens[start : first - 1]]
    is_statement = start > 0 and tokens[start - 1].text in _ENDS
    is_declaration = is_statement and len(words) > 1 and _NO_TYPES.isdisjoint(words) and tokens[first - 2].is_name
    return words[-1] if is_declaration else ""
