"""Let the checker see variables of a thread's own that are declared without a value: their use may come first.

    float sum, part[4];    ->  float sum, part[4]; ACCACHE_CPU_LOCAL(sum) ACCACHE_CPU_LOCAL(part)
    int old = 0;           ->  int old = 0; ACCACHE_CPU_SET_LOCAL(old)
    __shfl_sync(m, sum, 0) ->  __shfl_sync(m, ACCACHE_CPU_BROUGHT(sum), 0)

The second may lose its value: an exchange may leave it an old one that nobody wrote (``exchanges``). The third need not
have one: all lanes of a warp bring theirs, and what no lane gets is not used. Who knows a variable's address may change
it, so it stays in memory, where the thread sanitizer plants its hooks. Left alone are scalars that are plainly set
before all uses, arrays that loops fill right behind the declaration, what a function of CUDA's own writes through its
address, and, by the macro, structures: their copies read members, and padding, that nobody need have written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from accache.base.text import Edit, Span
from accache.cpu.definitions import ATTRIBUTES, device_bodies
from accache.cpu.exchanges import given_old_values, is_exchange
from accache.cpu.statements import Declarator, Unsupported, declarators, parse_statements
from accache.cpu.structures import device_marks, plain_text
from accache.cpu.tokens import OPENING, Token, closing
from accache.cpu.variables import is_set_first

_KINDS = frozenset(("struct", "class", "union", "enum"))
_ENDS = frozenset("{};")
_LENGTH = re.compile(r"\[([^\[\]]+)\]")
_SHUFFLE = re.compile(r"__shfl(?:_up|_down|_xor)?_sync")
_SHUFFLE_OF_GROUP = re.compile(r"shfl(?:_up|_down|_xor)?")
_COUNTS, _SHIFTS = (["+", "+"], ["-", "-"]), (["<", "<"], [">", ">"])
_COUNTER = re.compile(r"\[(\w+)\]")
_JUMPS = frozenset(("break", "continue", "goto", "return"))
_HEADERS = frozenset(("for", "if", "while", "switch"))
# What has a value without an initialiser, is no variable, or belongs to more than the thread.
_OTHERS = frozenset(("static", "extern", "typedef", "constexpr", "thread_local", "__shared__", "__constant__"))


def local_edits(text: str, tokens: tuple[Token, ...]) -> list[Edit]:
    """The edits that announce what the device's functions in a text declare without a value."""
    plain = plain_text(text, tokens, device_marks(text))
    edits: list[Edit] = []
    for first, done in device_bodies(plain):
        announced: set[str] = set()
        for end, announcements in _announced(plain, first, done):
            edits.append(Edit(Span(plain[end].end, plain[end].end), "".join(announcements.values())))
            announced.update(announcements)
        for value in _shuffled(plain, first, done):
            if value.text in announced:
                edits.append(Edit(Span(value.start, value.end), f"ACCACHE_CPU_BROUGHT({value.text})"))
    return edits


def _announced(tokens: tuple[Token, ...], first: int, end: int) -> Iterator[tuple[int, dict[str, str]]]:
    """Of each declaration in a body the position of its ``;``, and what announces variables of it there, by name."""
    scopes: list[int] = []
    may_lose = given_old_values(tokens, first, end)
    index = first
    while index < end:
        text = tokens[index].text
        if text == "{":
            scopes.append(closing(tokens, index))
        elif text == "}" and scopes:
            scopes.pop()
        if text in _ENDS and scopes:
            index += 1
            if (behind := _type_end(tokens, index)) is not None:
                index = behind + 1  # of what is declared with the type nothing is announced
                continue
            last = _statement_end(tokens, index, scopes[-1])
            found = declarators(tokens, index, last) if _OTHERS.isdisjoint(_texts(tokens, index, last)) else ()
            words = {one.name: _announcement(tokens, one, (last + 1, scopes[-1]), may_lose) for one in found}
            if any(words.values()):
                yield last, {name: word for name, word in words.items() if word}
        elif text in _HEADERS and tokens[index + 1].text == "(":
            index = closing(tokens, index + 1) + 1
        else:
            index += 1


def _shuffled(tokens: tuple[Token, ...], first: int, end: int) -> Iterator[Token]:
    """The names that stand in a body as the values of shuffles."""
    for index in range(first, end - 3):
        value = index + 2
        if tokens[index + 1].text != "(":
            continue
        if _SHUFFLE.fullmatch(tokens[index].text):
            while tokens[value].text not in (",", ")"):
                value = closing(tokens, value) + 1 if tokens[value].text in OPENING else value + 1
            value += 1
        elif not (_SHUFFLE_OF_GROUP.fullmatch(tokens[index].text) and tokens[index - 1].text in (".", ">")):
            continue
        if tokens[value].is_name and tokens[value + 1].text == ",":
            yield tokens[value]


def _texts(tokens: tuple[Token, ...], first: int, end: int) -> list[str]:
    return [token.text for token in tokens[first:end]]


def _type_end(tokens: tuple[Token, ...], position: int) -> int | None:
    """Where the body of the type ends that the declaration at ``position`` defines; None if it defines none."""
    is_type = False
    index = position
    while index < len(tokens) and tokens[index].text not in (";", "(", "=", ")", "}"):
        text = tokens[index].text
        if text == "{":
            return closing(tokens, index) if is_type else None
        is_type = is_type or text in _KINDS
        has_arguments = (text in ATTRIBUTES or text == "alignas") and tokens[index + 1].text == "("
        index = closing(tokens, index + 1) + 1 if has_arguments else index + 1
    return None


def _statement_end(tokens: tuple[Token, ...], first: int, end: int) -> int:
    """The ``;`` behind a declaration that begins at ``first``; ``first`` itself if there is none."""
    for index in range(first, end):
        if tokens[index].text in ("{", "}", "("):
            return first
        if tokens[index].text == ";":
            return index
    return first


def _announcement(
    tokens: tuple[Token, ...], declared: Declarator, scope: tuple[int, int], may_lose: frozenset[str]
) -> str:
    """What announces a variable with a scope, a half-open range of tokens; '' of one that always has a value."""
    if _may_come_first(tokens, declared, *scope):
        return f" ACCACHE_CPU_LOCAL({declared.name})"
    value, behind = declared.value
    of_exchange = any(is_exchange(token) for token in tokens[value:behind])  # announced as what it is
    if declared.name not in may_lose or of_exchange:
        return ""
    return f" ACCACHE_CPU_{'SET_' if value != behind else ''}LOCAL({declared.name})"


def _may_come_first(tokens: tuple[Token, ...], declared: Declarator, first: int, end: int) -> bool:
    """Whether a use of a variable may come before it has a value; its scope goes from ``first`` to ``end``."""
    if declared.value[0] != declared.value[1] or _given_to_cuda(tokens, declared.name, first, end):
        return False
    if declared.dimensions:
        return not _is_filled(tokens, declared, first, end)
    try:
        return not is_set_first(tokens, parse_statements(tokens, first, end), declared.name)
    except Unsupported:
        return True


def _is_filled(tokens: tuple[Token, ...], declared: Declarator, first: int, end: int) -> bool:
    """Whether loops set all elements of an array before any other statement of its scope names it.

    Nothing may jump past them. Such statements as come before are declarations and loops.
    """
    if any(_is_target(tokens, index) for index in range(first, end)):
        return False
    index = first
    while (behind := _plain_end(tokens, index, end)) is not None:
        if declared.name in _texts(tokens, index, behind):
            return _fills(tokens, declared, index, end)
        index = behind
    return False


def _plain_end(tokens: tuple[Token, ...], first: int, end: int) -> int | None:
    """What follows a declaration, or a loop with a body in braces; None of another statement."""
    if tokens[first].text != "for":
        last = _statement_end(tokens, first, end)
        return last + 1 if last != first else None
    body = closing(tokens, first + 1) + 1
    return closing(tokens, body) + 1 if tokens[body].text == "{" else None


def _fills(tokens: tuple[Token, ...], declared: Declarator, first: int, end: int) -> bool:
    """Whether loops from ``first`` on, one for each dimension, set all elements of an array, and do no more with it.

    for (int i = 0; i < 4; ++i) { for (int j = 0; j < 8; ++j) { name[i][j] = 0; } }
    """
    index, subscripts = first, ""
    lengths = _LENGTH.findall(declared.dimensions)
    for length in lengths:
        if tokens[index].text != "for":
            return False
        behind = closing(tokens, index + 1) + 1
        counter = tokens[index + 3].text
        header = f"for(int{counter}=0;{counter}<{length};++{counter}){{"
        if "".join(_texts(tokens, index, behind + 1)) != header or f"[{counter}]" in subscripts:
            return False
        index, subscripts = behind + 1, f"{subscripts}[{counter}]"
    last = closing(tokens, index - 1)
    body, closed = _texts(tokens, index, last), _texts(tokens, last, last + len(lengths))
    counters = _COUNTER.findall(subscripts)
    if body.count(declared.name) != 1 or closed != ["}"] * len(lengths):
        return False
    if not _JUMPS.isdisjoint(body) or any(_may_change(body, counter) for counter in counters):
        return False
    place = body.index(declared.name)
    before = body[:place]
    always = all(before.count(one) == before.count(other) for one, other in ("()", "{}"))
    texts = _texts(tokens, index + place, _statement_end(tokens, index + place, end))
    is_set = "".join(texts).startswith(f"{declared.name}{subscripts}=") and texts.count("=") == 1
    return always and is_set and (not before or before[-1] in _ENDS)


def _may_change(texts: list[str], name: str) -> bool:
    """Whether something other than an operand of arithmetic, or an index, is made of a variable."""
    framed = ["", "", "", *texts, "", ""]
    for index in range(3, len(framed) - 2):
        if framed[index] != name:
            continue
        *_, before = twice = framed[index - 2 : index]
        behind = framed[index + 1 : index + 3]
        counts = any(pair in _COUNTS for pair in (twice, behind)) or behind in _SHIFTS
        referred = before == "=" and framed[index - 3] == "&"
        assigned = behind[0] == "=" or (behind[1] == "=" and not behind[0].isalnum() and behind[0] not in "])")
        if counts or referred or assigned or before == "&" or (before in ("(", ",") and behind[0] in (")", ",")):
            return True
    return False


def _is_target(tokens: tuple[Token, ...], index: int) -> bool:
    """Whether a token begins a label that a jump from outside may go to."""
    if tokens[index].text in ("case", "default"):
        return True
    return tokens[index].is_name and tokens[index + 1].text == ":" and tokens[index - 1].text in _ENDS


def _given_to_cuda(tokens: tuple[Token, ...], name: str, first: int, end: int) -> bool:
    """Whether a call of the runtime's interface, which is compiled without hooks, has a variable's address."""
    for index in range(first, end - 1):
        if tokens[index].text.startswith("cuda") and tokens[index + 1].text == "(":
            given = tokens[index + 2 : closing(tokens, index + 1)]
            if any(one.text == "&" and two.text == name for one, two in pairwise(given)):
                return True
    return False
