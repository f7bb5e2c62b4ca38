"""Put routines in which threads wait for each other in the place of their calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from accache.cpu.definitions import angles_end, parameter_name, separated
from accache.cpu.routines import Function, Functions
from accache.cpu.statements import (
    REDUCTION,
    Statement,
    Unsupported,
    declarators,
    parse_statement,
    statement_tokens,
)
from accache.cpu.tokens import Token, closing


class Inlined(Struct, frozen=True):
    """A body with the routines in it that wait; ``shared`` are declarations of their shared variables, by routine."""

    body: str
    shared: Mapping[str, str]


def inline_meetings(body: str, functions: Functions) -> Inlined:
    """The text of a block with the bodies of the routines in which threads wait, in the place of their calls.

    ``sum = total(sum);`` becomes ``{ double value_1 = sum; ... sum = total__partial[0]; }``. Reductions of the
    run-time library become statements of their own: ``double value_1 = sum; accache_cpu_reduce<...>(value_1);``.
    Raises Unsupported for routines of another form.
    """
    shared: dict[str, str] = {}
    for number in range(1, 65):
        tokens = statement_tokens(body)
        place = next((i for i, token in enumerate(tokens) if _waits(token.text, functions)), None)
        if place is None:
            return Inlined(body, shared)
        call, in_block = _innermost(parse_statement(tokens, 0), place, in_block=True)
        if REDUCTION.fullmatch(tokens[place].text):
            replaced, declared = _exchange(body, tokens, call, place, number=number), dict[str, str]()
        else:
            replaced, declared = _inline(body, tokens, call, place, functions=functions, number=number)
        replaced = replaced if in_block else f"{{ {replaced} }}"
        shared |= declared
        body = body[: tokens[call.first].start] + replaced + body[tokens[call.end - 1].end :]
    raise Unsupported("too many routines")


def _exchange(body: str, tokens: tuple[Token, ...], statement: Statement, place: int, *, number: int) -> str:
    """What stands for ``x = accache_reduce<accache_plus<T>, ...>(value);``, or for that of each element of an array."""
    first, opening = place + 1, place + 3  # the angles around the arguments, and around T
    last = angles_end(tokens, first)
    ctype = tokens[opening + 1 : angles_end(tokens, opening)]
    result = body[tokens[statement.first].start : tokens[place].start].rstrip()
    whole = tokens[last + 1].text == "(" and closing(tokens, last + 1) + 2 == statement.end
    is_each = tokens[place].text.endswith("_each")
    if not whole or result.endswith("=") == is_each or not all(token.is_name for token in ctype):
        raise Unsupported("a reduction")
    name, routine = f"value_{number}", tokens[place].text.replace("accache_", "accache_cpu_", 1).removesuffix("_each")
    arguments, word = body[tokens[first].start : tokens[last].end], " ".join(token.text for token in ctype)
    value = body[tokens[last + 1].start : tokens[statement.end - 2].end]
    if is_each:
        k, element = f"element_{number}", f"(({word} *){value})[element_{number}]"
        head = f"for (int {k} = 0; {k} < (int)(sizeof {value} / sizeof({word})); ++{k})"
        return f"{head} {{ {word} {name}; {name} = {element}; {routine}{arguments}({name}); {element} = {name}; }}"
    before, target = _target(tokens, statement, result)
    return f"{before}{word} {name}; {name} = {value}; {routine}{arguments}({name}); {target}{name};"


def _waits(name: str, functions: Functions) -> bool:
    function = functions.known.get(name)
    if name in functions.closed:
        raise Unsupported(name)
    return function is not None and function.meets


def _innermost(statement: Statement, place: int, *, in_block: bool) -> tuple[Statement, bool]:
    """The statement around a place that has none in it, and whether it stands in a block."""
    for part in statement.parts:
        if part.first <= place < part.end:
            return _innermost(part, place, in_block=statement.kind == "block")
    if statement.kind != "plain":
        raise Unsupported("a routine that waits in a condition")
    return statement, in_block


class _Call(Struct, frozen=True):
    """A statement ``x = routine(a, b);`` of a text, and the routine's tokens with the tree of its body."""

    text: str
    tokens: tuple[Token, ...]
    statement: Statement
    place: int
    function: Function
    own: tuple[Token, ...]
    block: Statement

    @property
    def parameters(self) -> tuple[tuple[int, int], ...]:
        """The parameters' ranges in the routine's tokens."""
        first, end = self.function.name_at - self.function.first + 2, self.function.close - self.function.first
        if [token.text for token in self.own[first:end]] == ["void"]:
            return ()
        return tuple(separated(self.own, first, end))


def _inline(
    body: str, tokens: tuple[Token, ...], statement: Statement, place: int, *, functions: Functions, number: int
) -> tuple[str, dict[str, str]]:
    """What stands for the statement with the call at ``place``, and shared variables to declare."""
    function = functions.known[tokens[place].text]
    if function.is_template or tokens[place + 1].text != "(" or closing(tokens, place + 1) + 2 != statement.end:
        raise Unsupported(function.name)
    own = functions.tokens[function.first : function.end]
    block = parse_statement(own, function.body - function.first)
    call = _Call(body, tokens, statement, place, function=function, own=own, block=block)
    names, shared = _own_names(call, number)
    result = body[tokens[statement.first].start : tokens[place].start].rstrip()
    before, target = _target(tokens, statement, result)
    parts = [*_arguments(call, names), *_body(call, names, target)]
    return f"{before}{' '.join(parts)}", shared


def _arguments(call: _Call, names: Mapping[str, str]) -> list[str]:
    """Declarations that give the routine's parameters their values."""
    tokens, own = call.tokens, call.own
    first = call.place + 2
    arguments = list(separated(tokens, first, closing(tokens, call.place + 1)))
    if len(arguments) != len(call.parameters):
        raise Unsupported(call.function.name)
    parts = []
    for (a, b), (c, d) in zip(arguments, call.parameters, strict=True):
        name = parameter_name(own[c:d])
        if not name or own[d - 1].text != name or any(token.text == "&" for token in own[c:d]):
            raise Unsupported(call.function.name)
        declared = " ".join(token.text for token in own[c : d - 1])
        parts.append(f"{declared} {names[name]} = {call.text[tokens[a].start : tokens[b - 1].end]};")
    return parts


def _body(call: _Call, names: Mapping[str, str], target: str) -> list[str]:
    """The routine's statements; what it returns goes to ``target``, which ends with ``=``."""
    parts: list[str] = []
    last = call.block.parts[-1] if call.block.parts else None
    for statement in call.block.parts:
        tokens = call.own[statement.first : statement.end]
        returns = [token.text for token in tokens].count("return")
        if returns and (statement is not last or tokens[0].text != "return" or returns > 1):
            raise Unsupported(call.function.name)
        if statement.kind == "shared":
            continue
        if not returns:
            parts.append(_renamed(tokens, names))
        elif len(tokens) > 2:
            parts.append(f"{target or '(void)'}{_renamed(tokens[1:], names)}")
    return parts


def _target(tokens: tuple[Token, ...], statement: Statement, result: str) -> tuple[str, str]:
    """``T x;`` and ``x =`` of a statement ``T x = f(...);``, as far as it has these."""
    if not result:
        return "", ""
    if not result.endswith("="):
        raise Unsupported(result)
    declared = declarators(tokens, statement.first, statement.end - 1)
    if not declared:
        return "", f"{result} "
    one = declared[0]
    if len(declared) > 1 or one.dimensions or one.target:
        raise Unsupported(result)
    return f"{one.base} {one.pointer} {one.name}; ", f"{one.name} = "


def _own_names(call: _Call, number: int) -> tuple[dict[str, str], dict[str, str]]:
    """New names of a routine's parameters and variables, and declarations of its shared ones."""
    own, routine = call.own, call.function.name
    parameters = [parameter_name(own[a:b]) for a, b in call.parameters]
    names = {name: f"{name}_{number}" for name in parameters if name}
    shared: dict[str, str] = {}
    for statement in call.block.parts:
        if statement.kind == "shared":
            texts = [token.text for token in own[statement.first : statement.end]]
            start = statement.first + texts.index("__shared__") + 1
            declared = declarators(own, start, statement.end - 1)
            if not declared or "extern" in texts:
                raise Unsupported(routine)
            names |= {one.name: f"{routine}__{one.name}" for one in declared}
            shared[f"{routine} {len(shared)}"] = f"__shared__ {_renamed(own[start : statement.end], names)}"
        elif statement.kind == "plain":
            declared = declarators(own, statement.first, statement.end - 1)
            names |= {one.name: f"{one.name}_{number}" for one in declared}
    return names, shared


def _renamed(tokens: Sequence[Token], names: Mapping[str, str]) -> str:
    """The text of tokens with other names; those of members stay."""
    words: list[str] = []
    for position, token in enumerate(tokens):
        is_member = position > 0 and tokens[position - 1].text in (".", "::")
        is_member = is_member or (position > 1 and [t.text for t in tokens[position - 2 : position]] == ["-", ">"])
        if position and tokens[position - 1].end < token.start:
            words.append(" ")
        words.append(token.text if is_member else names.get(token.text, token.text))
    return "".join(words)
