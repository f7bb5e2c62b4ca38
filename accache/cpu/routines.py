"""The functions of a .cu text that run on the device: who waits at a barrier, and who asks which thread it is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from accache.cpu.definitions import ATTRIBUTES
from accache.cpu.statements import BARRIER, Unsupported, statement_tokens
from accache.cpu.tokens import Token, closing

# Threads of a warp that meet, and barriers that count: only fibers do these.
MEETING = re.compile(r"__syncthreads_\w+|__syncwarp|__shfl\w*|__ballot\w*|__(any|all|match|reduce)_\w+|__activemask")
_ATOMIC = re.compile(r"(accache_)?atomic\w*")
_OF_THREAD = "_of_thread"


class Function(Struct, frozen=True):
    """A function with a body; positions are those of its first token, name, and brackets.

    ``meets`` says that its threads wait for each other, itself or in what it calls, ``asks`` that it uses threadIdx.
    """

    name: str
    is_kernel: bool
    is_template: bool
    first: int
    name_at: int
    close: int
    body: int
    end: int
    meets: bool = False
    asks: bool = False


class Functions(Struct, frozen=True):
    """The functions of a text by their names; ``closed`` are names of those whose body is not known for certain."""

    tokens: tuple[Token, ...]
    known: Mapping[str, Function]
    closed: frozenset[str]

    def called(self, tokens: Sequence[Token]) -> frozenset[str]:
        """The functions that tokens name."""
        return frozenset(token.text for token in tokens if token.text in self.known or token.text in self.closed)


def find_functions(text: str) -> Functions:
    """The functions of a text that run on the device."""
    tokens = statement_tokens(text)
    known: dict[str, Function] = {}
    closed: set[str] = set()
    position = 0
    while position < len(tokens):
        function = None
        if tokens[position].text in ("__device__", "__global__"):
            name_at = _name_at(tokens, position)
            function = _function(text, tokens, position, name_at) if name_at else None
            if name_at and (function is None or function.name in known):
                closed.add(tokens[name_at].text)
        if function:
            known[function.name] = function
        position = function.end if function else position + 1
    for name in closed:
        known.pop(name, None)
    return _with_effects(Functions(tokens, known, frozenset(closed)))


def _name_at(tokens: tuple[Token, ...], position: int) -> int | None:
    index = position + 1
    while index + 1 < len(tokens) and tokens[index].text not in (";", "{", "=", "[", "operator"):
        if tokens[index].text in ATTRIBUTES and tokens[index + 1].text == "(":
            index = closing(tokens, index + 1)
        elif tokens[index].is_name and tokens[index + 1].text == "(":
            return index
        index += 1
    return None


def _function(text: str, tokens: tuple[Token, ...], position: int, name_at: int) -> Function | None:
    close = closing(tokens, name_at + 1)
    if close + 1 >= len(tokens) or tokens[close + 1].text != "{":
        return None
    first = position
    while first and tokens[first - 1].text not in (";", "{", "}", ")") and not _ends_before(text, tokens[first - 1]):
        first -= 1
    words = {token.text for token in tokens[first:name_at]}
    return Function(
        name=tokens[name_at].text,
        is_kernel="__global__" in words,
        is_template="template" in words,
        first=first,
        name_at=name_at,
        close=close,
        body=close + 1,
        end=closing(tokens, close + 1) + 1,
    )


def _ends_before(text: str, token: Token) -> bool:
    """Whether a token belongs to no declaration: a string, or a directive's word."""
    line = text[text.rfind("\n", 0, token.start) + 1 : token.end]
    return token.kind == "string" or line.lstrip().startswith("#")


def _with_effects(functions: Functions) -> Functions:
    """The functions with what they do by way of others; closed ones may do anything."""
    bodies = {name: functions.tokens[one.body : one.end] for name, one in functions.known.items()}
    calls = {name: functions.called(body) - {name} for name, body in bodies.items()}
    meets = set(functions.closed)
    asks = set(functions.closed)
    for name, body in bodies.items():
        if any(token.text == BARRIER or MEETING.fullmatch(token.text) for token in body):
            meets.add(name)
        if not name.startswith("accache_") and may_wait_in_loops(body):
            meets.add(name)
        if any(token.text == "threadIdx" for token in body):
            asks.add(name)
    for found in (meets, asks):
        before = -1
        while before != len(found):
            before = len(found)
            found |= {name for name, called in calls.items() if called & found}
    known = {name: replace(one, meets=name in meets, asks=name in asks) for name, one in functions.known.items()}
    return Functions(functions.tokens, known, functions.closed)


def may_wait_in_loops(tokens: Sequence[Token]) -> bool:
    """Whether tokens have a loop that may end when another thread of the block does something.

    Such a loop uses what an atomic operation gives, or a volatile variable.
    """
    texts = [token.text for token in tokens]
    if not {"for", "while", "do"} & set(texts):
        return False
    return any(
        text == "volatile" or (_ATOMIC.fullmatch(text) and not _is_statement(texts, place))
        for place, text in enumerate(texts)
    )


def _is_statement(texts: Sequence[str], place: int) -> bool:
    """Whether a call is a statement of its own, so that nobody uses what it gives."""
    before = texts[place - 1] if place else ";"
    if before != ")":
        return before in (";", "{", "}", "else")
    depth = 0
    for index in range(place - 1, -1, -1):
        depth += (texts[index] == ")") - (texts[index] == "(")
        if depth == 0:
            return index > 0 and texts[index - 1] in ("if", "for", "while")
    return False


def of_thread(text: str, function: Function, functions: Functions) -> str:
    """A function's copy that is told which thread calls it."""
    tokens = functions.tokens
    head = text[tokens[function.first].start : tokens[function.name_at].start]
    rest = text[tokens[function.name_at + 1].end : tokens[function.end - 1].end]
    comma = "" if function.close == function.name_at + 2 else ", "
    return told(f"{head}{function.name}{_OF_THREAD}(const uint3 threadIdx{comma}{rest}", functions)


def told(text: str, functions: Functions) -> str:
    """The text with calls of such copies in the place of calls of functions that ask which thread calls them."""
    parts: list[str] = []
    last = 0
    tokens = statement_tokens(text)
    for position, token in enumerate(tokens[:-1]):
        function = functions.known.get(token.text)
        if function and function.asks and not function.meets:
            if tokens[position + 1].text != "(":
                raise Unsupported(token.text)
            comma = "" if tokens[position + 2].text == ")" else ", "
            parts += [text[last : token.end], f"{_OF_THREAD}(threadIdx{comma}"]
            last = tokens[position + 1].end
    return "".join((*parts, text[last:]))
