"""Let the checker see that the old value of an atomic exchange is used: an exchange alone may be the first to write.

    while (atomicExch(p, 1) != 0) ;   ->  while (ACCACHE_CPU_OLD(atomicExch(p, 1)) != 0) ;
    int old = atomicExch(p, 1);       ->  int old = atomicExch(p, 1); ACCACHE_CPU_OLD_LOCAL(old)
    next[i] = atomicExch(p, 1);       ->  ACCACHE_CPU_OLD_INTO(next[i] = atomicExch(p, 1));

Where the value is certain to be used, as an operand, a condition or an index, it is used at once. A variable that is
declared with it, and what it is assigned to, has no value if the memory had none. Elsewhere nobody knows here what
becomes of it. A member ``exchange`` may be that of a ``cuda::atomic``, or anything else, which is known when it runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from accache.base.text import Edit, Span
from accache.cpu.definitions import device_bodies
from accache.cpu.structures import device_marks, plain_text
from accache.cpu.tokens import Token, closing, opening

_EXCHANGES = frozenset(("atomicExch", "atomicExch_block", "atomicExch_system", "accache_atomic_exchange"))
_MEMBER = "exchange"
_ACCESS = (".", ">", "::")  # what a member, or a name of a namespace, stands behind; ">" ends "->"
_BEHIND = frozenset("=!<>+-*/%&|^?")  # what goes on with a value; "=" begins "=="
_BEFORE = frozenset("!~+-/%|^")  # others may belong to a type
_CONDITIONS = frozenset(("if", "while", "switch"))
_ENDS = frozenset("{};")
_STARTS = frozenset(("{", "}", ";", "(", ")", "else", "do"))  # what an assignment may stand behind
_NO_TYPES = frozenset(("return", "else", "do", "goto", "case", "throw", "delete", "using", "typedef", "static"))
_NO_OBJECTS = _NO_TYPES | _CONDITIONS | {"for", "sizeof"}


def exchange_edits(text: str, tokens: tuple[Token, ...]) -> list[Edit]:
    """The edits that mark what a text does with old values of exchanges, in macros, too."""
    plain = plain_text(text, tokens, device_marks(text))
    starts = {token.start for token in plain}
    in_directives = tuple(token for token in tokens if token.start not in starts)
    return [*_edits(plain, [*device_bodies(plain)]), *_edits(in_directives, [])]


def _edits(tokens: tuple[Token, ...], bodies: Sequence[tuple[int, int]]) -> list[Edit]:
    """The edits; a member named so belongs to an atomic in one of some bodies, and on the host to anything."""
    edits: list[Edit] = []
    for first, last in _calls(tokens, 0, len(tokens)):
        if not is_exchange(tokens[first]) and not any(begin < first < end for begin, end in bodies):
            continue
        start, end = tokens[first].start, tokens[last].end
        marks = [("ACCACHE_CPU_EXCHANGE(", start, end)] if not is_exchange(tokens[first]) else []
        behind = tokens[last + 1].end
        if _is_used(tokens, first, last):
            marks.insert(0, ("ACCACHE_CPU_OLD(", start, end))
        elif name := _declared(tokens, first, last):
            edits.append(Edit(Span(behind, behind), f" ACCACHE_CPU_OLD_LOCAL({name})"))
        elif (target := _target(tokens, first, last)) is not None:
            marks.insert(0, ("ACCACHE_CPU_OLD_INTO(", tokens[target].start, end))
        else:
            continue
        for mark, opened, closed in marks:
            edits += [Edit(Span(opened, opened), mark), Edit(Span(closed, closed), ")")]
    return edits


def given_old_values(tokens: tuple[Token, ...], first: int, end: int) -> frozenset[str]:
    """The names in a half-open range of tokens with which begins what old values of exchanges are assigned to."""
    targets = (_target(tokens, *call) for call in _calls(tokens, first, end))
    names = (_past_stars(tokens, target) for target in targets if target is not None)
    return frozenset(names)


def is_exchange(token: Token) -> bool:
    """Whether a token names a function that exchanges atomically."""
    return token.text in _EXCHANGES


def _past_stars(tokens: tuple[Token, ...], position: int) -> str:
    while tokens[position].text == "*":
        position += 1
    return tokens[position].text


def _calls(tokens: tuple[Token, ...], first: int, end: int) -> Iterator[tuple[int, int]]:
    """The first and the last token of each exchange in a half-open range of tokens."""
    for position in range(max(first, 1), min(end, len(tokens) - 1)):
        text, before = tokens[position].text, tokens[position - 1].text
        if (text not in _EXCHANGES and text != _MEMBER) or tokens[position + 1].text != "(":
            continue
        is_member = before in _ACCESS
        begin = _object(tokens, position) if is_member else position
        last = closing(tokens, position + 1)
        if begin and last + 1 < len(tokens) and is_member == (text == _MEMBER) and before != "::":
            yield begin, last


def _object(tokens: tuple[Token, ...], position: int) -> int:
    """Where the expression begins that ends at ``position``, a variable, member, element or call; 0 if it is none."""
    while tokens[position].text in ("]", ")"):
        position = opening(tokens, position)
        before = tokens[position - 1] if position else None
        if before is None or not (before.is_name or before.text in ("]", ")")):
            return position if tokens[position].text == "(" else 0
        position -= 1
    if not tokens[position].is_name or tokens[position].text in _NO_OBJECTS:
        return 0
    before_two = [token.text for token in tokens[max(position - 2, 0) : position]]
    if before_two[-1:] in (["."], ["::"]):
        return _object(tokens, position - 2) if position > 1 else 0
    if before_two == ["-", ">"]:
        return _object(tokens, position - 3) if position > 2 else 0
    return position


def _before_casts(tokens: tuple[Token, ...], first: int) -> int:
    """The token before an operand and the types in parentheses in front of it."""
    before = first - 1
    while tokens[before].text == ")" and tokens[opening(tokens, before) - 1].text in ("=", ")"):
        before = opening(tokens, before) - 1
    return before


def _is_used(tokens: tuple[Token, ...], first: int, last: int) -> bool:
    """Whether the call from ``first`` to ``last`` is an operand, a condition or an index."""
    before, behind = tokens[first - 1].text, tokens[last + 1].text
    earlier = tokens[first - 2] if first > 1 else None
    if behind in _BEHIND or before in _BEFORE:
        return True
    if earlier and before == "=":
        return earlier.text in _BEHIND and earlier.end == tokens[first - 1].start
    in_condition = before == "(" and earlier and earlier.text in _CONDITIONS
    return (before == "[" and behind == "]") or bool(in_condition and behind == ")")


def _declared(tokens: tuple[Token, ...], first: int, last: int) -> str:
    """The variable that is declared with the value of the call, as all that its statement does; '' if there is none."""
    equals = _before_casts(tokens, first)
    if equals < 2 or tokens[equals].text != "=" or tokens[last + 1].text != ";":
        return ""
    start = equals - 1
    while start and tokens[start - 1].is_name:
        start -= 1
    words = [token.text for token in tokens[start:equals]]
    is_statement = start > 0 and tokens[start - 1].text in _ENDS
    is_declaration = is_statement and len(words) > 1 and _NO_TYPES.isdisjoint(words) and tokens[equals - 1].is_name
    return words[-1] if is_declaration else ""


def _target(tokens: tuple[Token, ...], first: int, last: int) -> int | None:
    """Where that begins which the value of the call is assigned to; None if it goes elsewhere."""
    equals = _before_casts(tokens, first)
    if equals < 2 or tokens[equals].text != "=" or tokens[last + 1].text not in (";", ")"):
        return None
    start = _object(tokens, equals - 1)
    while start > 1 and tokens[start - 1].text == "*":
        start -= 1
    return start if start and tokens[start - 1].text in _STARTS else None
