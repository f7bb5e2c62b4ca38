"""Let the checker see the structures that routines take and give by value.

The thread sanitizer plants no hooks where a call takes a structure from memory or leaves its result there. A routine
that is inlined has no such call: what its parameters are made from, and where its result goes, are plain accesses.

    __device__ __forceinline__ Pair swap(Pair p) {   ->  __device__ ACCACHE_CPU_INLINED  Pair swap(Pair p) {

A routine that cannot be inlined, as it has no body, calls itself or has its address taken, is called by one that is:

    a[i] = other(a[i]);                              ->  a[i] = ::accache_cpu::call(other, a[i]);
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from accache.base.text import Edit, Span
from accache.cpu.definitions import ATTRIBUTES, COPY_ROUTINE, TYPES, angles_end, parameter_name, separated
from accache.cpu.tokens import Token, closing

_SPECIFIERS = frozenset(
    (
        *("static", "inline", "extern", "constexpr", "friend", "virtual", "explicit", "typename", "struct", "const"),
        *("volatile", "__device__", "__host__", "__forceinline__", "__noinline__", "__inline__"),
    )
)
_FORCED = ("__forceinline__", "__noinline__")
_SCALARS = TYPES - {"const", "volatile"}
_SCALAR_NAME = re.compile(r"size_t|ptrdiff_t|u?int\d+_t")
_MARK = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t][^(\n]*\b__device__\b.*", re.M)  # a macro that stands for it
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\\\n]|\\.|\\\n)*", re.M)


@dataclass(frozen=True)
class _Routine:
    """A declaration of a routine; ``body`` is empty if it has none.

    ``first`` is the declaration's first token, ``mark`` that of ``__device__`` and ``name_at`` of the name.
    ``is_plain`` says that it belongs to no class or template; ``signature`` are its parameters without their names.
    """

    name: str
    first: int
    mark: int
    name_at: int
    body: tuple[Token, ...]
    is_plain: bool
    signature: tuple[str, ...]
    passes_structures: bool


def structure_edits(
    text: str, tokens: tuple[Token, ...], others: Sequence[tuple[str, tuple[Token, ...]]] = ()
) -> list[Edit]:
    """The edits for a text; ``others`` are texts with their tokens whose routines this one may call."""
    marks = device_marks(text, *(part for part, _ in others))
    parts = [plain_text(*part, marks) for part in ((text, tokens), *others)]
    tokens = parts[0]
    own = _routines(tokens)
    every = [*own, *(routine for part in parts[1:] for routine in _routines(part))]
    fixed = _not_inlined(every, parts)
    edits = _unforced(text)
    for routine in own:
        if routine.passes_structures and routine.body and routine.name not in fixed:
            edits += _inlined(tokens, routine)
    declared = {routine.name_at for routine in own}
    called = _called_by_another(every, fixed)
    for position, token in enumerate(tokens[:-1]):
        is_call = token.text in called and tokens[position + 1].text == "(" and position not in declared
        if is_call and not _is_qualified(tokens, position):
            comma = "" if tokens[position + 2].text == ")" else ", "
            start, end = Span(token.start, token.start), Span(token.end, tokens[position + 1].end)
            edits += [Edit(start, "::accache_cpu::call("), Edit(end, comma)]
    return edits


def device_marks(*texts: str) -> frozenset[str]:
    """The macros of texts that stand for ``__device__``."""
    return frozenset(name for text in texts for name in _MARK.findall(text))


def _unforced(text: str) -> list[Edit]:
    """The edits that take ``__forceinline__``, which means a function of its own here, out of macros."""
    return [
        Edit(Span(macro.start() + word.start(), macro.start() + word.end()), "inline")
        for macro in _MARK.finditer(text)
        for word in re.finditer(r"\b__forceinline__\b", macro[0])
    ]


def _inlined(tokens: tuple[Token, ...], routine: _Routine) -> list[Edit]:
    """The edits that have a routine inlined, whatever it says of that itself."""
    forced = [token for token in tokens[routine.first : routine.name_at] if token.text in _FORCED]
    place = tokens[routine.mark].end
    return [
        Edit(Span(place, place), " ACCACHE_CPU_INLINED"),
        *(Edit(Span(token.start, token.end), "") for token in forced),
    ]


def _not_inlined(routines: Sequence[_Routine], parts: Sequence[tuple[Token, ...]]) -> frozenset[str]:
    """The names of routines that cannot be inlined."""
    calls = _calls(routines)
    bodies = {routine.name for routine in routines if routine.body}
    addressed = {
        tokens[position].text
        for tokens in parts
        for position in range(len(tokens) - 1)
        if tokens[position].text in calls
        and tokens[position + 1].text not in ("(", "<")
        and not _is_member(tokens, position)
    }
    return frozenset(name for name in calls if name not in bodies or name in addressed or _reaches_itself(name, calls))


def _called_by_another(routines: Iterable[_Routine], fixed: frozenset[str]) -> frozenset[str]:
    """Of the names in ``fixed`` those of one routine that passes structures."""
    by_name: dict[str, list[_Routine]] = {}
    for routine in routines:
        by_name.setdefault(routine.name, []).append(routine)
    return frozenset(
        name
        for name in fixed
        if all(routine.is_plain and routine.passes_structures for routine in by_name[name])
        and len({routine.signature for routine in by_name[name]}) == 1
    )


def _is_member(tokens: tuple[Token, ...], position: int) -> bool:
    before = [token.text for token in tokens[max(0, position - 2) : position]]
    return before[-1:] == ["."] or before == ["-", ">"]


def _is_qualified(tokens: tuple[Token, ...], position: int) -> bool:
    return _is_member(tokens, position) or (position > 0 and tokens[position - 1].text == "::")


def _calls(routines: Sequence[_Routine]) -> dict[str, frozenset[str]]:
    """What the routines of each name may call; where several share a name, one is taken to call another."""
    called: dict[str, set[str]] = {routine.name: set() for routine in routines}
    signatures: dict[str, set[tuple[str, ...]]] = {}
    for routine in routines:
        called[routine.name] |= called.keys() & {token.text for token in routine.body}
        signatures.setdefault(routine.name, set()).add(routine.signature)
    return {name: frozenset(found - {name} if len(signatures[name]) > 1 else found) for name, found in called.items()}


def _reaches_itself(name: str, calls: Mapping[str, frozenset[str]]) -> bool:
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        for called in calls[waiting.pop()] - seen:
            seen.add(called)
            waiting.append(called)
    return name in seen


def plain_text(text: str, tokens: tuple[Token, ...], marks: frozenset[str]) -> tuple[Token, ...]:
    """The tokens outside of directives, with ``__device__`` in the place of ``marks``."""
    directives = iter([*(found.span() for found in _DIRECTIVE.finditer(text)), (len(text), len(text))])
    start, end = next(directives)
    kept: list[Token] = []
    for token in tokens:
        while token.start >= end and end < len(text):
            start, end = next(directives)
        if token.start < start:
            kept.append(replace(token, text="__device__") if token.text in marks else token)
    return tuple(kept)


def _routines(tokens: tuple[Token, ...]) -> list[_Routine]:
    scalars = _scalar_names(tokens)
    plain = _at_file_scope(tokens)
    found: list[_Routine] = []
    for position, token in enumerate(tokens):
        if token.text == "__device__":
            routine = _routine(tokens, position, scalars, is_plain=position in plain)
            if routine and not (found and found[-1].name_at == routine.name_at):
                found.append(routine)
    return found


def _routine(tokens: tuple[Token, ...], position: int, scalars: frozenset[str], *, is_plain: bool) -> _Routine | None:
    """The routine declared with the ``__device__`` at ``position``; None for all else, and for copy routines."""
    first = _declaration_start(tokens, position)
    name_at = _name_at(tokens, position)
    if name_at is None:
        return None
    opening = _parameters_at(tokens, name_at)
    name = "".join(token.text for token in tokens[name_at:opening])
    if COPY_ROUTINE.search(name):
        return None
    end = closing(tokens, opening)
    start = _template_end(tokens, first)
    is_operator = tokens[name_at].text == "operator"
    result = _result(tokens[start:name_at])
    conversion = tokens[name_at + 1 : opening] if is_operator and tokens[name_at + 1].is_name else ()
    parameters = [tokens[begin:stop] for begin, stop in separated(tokens, opening + 1, end)]
    return _Routine(
        name=name,
        first=first,
        mark=position,
        name_at=name_at,
        body=_body(tokens, end),
        is_plain=is_plain and start == first and not is_operator,
        signature=tuple(_type_of(parameter) for parameter in parameters),
        passes_structures=any(_may_be_structure(part, scalars) for part in (result, conversion, *parameters)),
    )


def _declaration_start(tokens: tuple[Token, ...], position: int) -> int:
    """Where the declaration begins that the token at ``position`` is a specifier of."""
    index = position
    while index and tokens[index - 1].text not in (";", "{", "}"):
        if tokens[index - 1].text == ":" and tokens[index - 2].text in ("public", "private", "protected"):
            break
        index -= 1
    return index


def _template_end(tokens: tuple[Token, ...], first: int) -> int:
    """The first token past ``template <...>``."""
    while tokens[first].text == "template" and tokens[first + 1].text == "<":
        first = angles_end(tokens, first + 1) + 1
    return first


def _name_at(tokens: tuple[Token, ...], position: int) -> int | None:
    """Where the name stands of the routine declared with the ``__device__`` at ``position``; None if it is none."""
    index = position + 1
    while index + 1 < len(tokens) and tokens[index].text not in (";", "{", "}", "=", "[", "__global__"):
        token, following = tokens[index].text, tokens[index + 1].text
        if token == "operator":
            return index
        if token in ATTRIBUTES and following == "(":
            index = closing(tokens, index + 1)
        elif token == "<":
            index = angles_end(tokens, index)
        elif tokens[index].is_name and following == "(":
            return index
        index += 1
    return None


def _parameters_at(tokens: tuple[Token, ...], name_at: int) -> int:
    """Where the ``(`` of a routine's parameters stands."""
    first = name_at + 1
    if [token.text for token in tokens[first : first + 2]] == ["(", ")"] and tokens[name_at].text == "operator":
        first += 2
    return next((index for index in range(first, len(tokens)) if tokens[index].text == "("), len(tokens) - 1)


def _result(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The type a routine gives, without the ``Name::`` before the routine's own name."""
    while len(tokens) >= 2 and tokens[-1].text == "::":
        tokens = tokens[:-2]
    return tokens


def _type_of(parameter: tuple[Token, ...]) -> str:
    last = len(parameter) - bool(parameter_name(parameter))
    return " ".join(token.text for token in parameter[:last])


def _body(tokens: tuple[Token, ...], end: int) -> tuple[Token, ...]:
    """The tokens of the body behind the parameters, which end at ``end``."""
    for index in range(end + 1, len(tokens)):
        if tokens[index].text in (";", "="):
            return ()
        if tokens[index].text == "{":
            return tokens[index : closing(tokens, index) + 1]
    return ()


def _may_be_structure(declared: Sequence[Token], scalars: frozenset[str]) -> bool:
    """Whether a result's type, or a parameter's declaration, may be that of a structure; false for references."""
    names: list[str] = []
    depth = 0
    for token in declared:
        if token.text == "=" and not depth:
            break
        depth += (token.text == "<") - (token.text == ">")
        if depth or token.text in _SPECIFIERS:
            continue
        if token.text in ("*", "&", "[", "("):
            return False
        if token.is_name:
            names.append(token.text)
    return bool(names) and _SCALARS.isdisjoint(names) and not (names[0] in scalars or _SCALAR_NAME.fullmatch(names[0]))


def _scalar_names(tokens: tuple[Token, ...]) -> frozenset[str]:
    """The names a text gives to arithmetic types."""
    names = set()
    for position, token in enumerate(tokens):
        if token.text == "typedef" and tokens[position + 1].text in _SCALARS:
            end = next((index for index in range(position, len(tokens)) if tokens[index].text == ";"), position)
            if all(part.is_name for part in tokens[position:end]):
                names.add(tokens[end - 1].text)
    return frozenset(names)


def _at_file_scope(tokens: tuple[Token, ...]) -> frozenset[int]:
    """The positions of tokens outside of all braces but those of ``extern "C"`` and namespaces."""
    found = []
    index = 0
    while index < len(tokens):
        if tokens[index].text == "{" and not _opens_scope(tokens, index):
            index = closing(tokens, index)
        else:
            found.append(index)
        index += 1
    return frozenset(found)


def _opens_scope(tokens: tuple[Token, ...], position: int) -> bool:
    """Whether the brace at ``position`` is that of ``extern "C"`` or a namespace."""
    before = tokens[max(0, position - 2) : position]
    return any(token.kind == "string" or token.text == "namespace" for token in before)
