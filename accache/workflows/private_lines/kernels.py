"""One kernel: which of its parameters can have lines, and the edits that make the version of it that has them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct

from accache.base.text import Edit, Span
from accache.cpu.definitions import KernelDefinition, parameter_name, separated
from accache.cpu.statements import Statement, Unsupported, parse_statement, parse_statements
from accache.cpu.tokens import Token, closing
from accache.workflows.private_lines.accesses import RefusedError, Uses, reaches_memory
from accache.workflows.private_lines.names import ATOMIC, BARRIER, FENCE, KEYWORDS, PURE, WORKERS

LOOPS = ("for", "while", "do")
MOST = 31
"""How many arrays can have lines."""
_RESTRICT = ("__restrict__", "__restrict", "restrict")


class Array(Struct, frozen=True):
    """A pointer parameter with a line: its number among them, its place among all, and its elements' type."""

    name: str
    number: int
    place: int
    element: str
    is_const: bool
    is_restrict: bool


class Kernel(Struct, frozen=True):
    """A kernel and the edits of its version with lines; ``apart`` if no two of its arrays share bytes."""

    definition: KernelDefinition
    first: int
    end: int
    arrays: tuple[Array, ...]
    edits: tuple[Edit, ...]
    apart: bool


class Program(Struct, frozen=True):
    """A .cu text without directives, and its tokens.

    ``macros`` are replacements by name, ``bodies`` ranges of tokens of routines; at ``directives`` the text had some
    that were no pragmas.
    """

    text: str
    tokens: tuple[Token, ...]
    macros: Mapping[str, str]
    bodies: Mapping[str, tuple[int, int]]
    directives: tuple[int, ...]


class Refusals(Struct, frozen=True):
    """Why parameters have no lines, each with a token that tells where; the name is '' for the kernel itself."""

    found: list[tuple[str, str, Token]]

    def add(self, name: str, reason: str, token: Token) -> None:
        """One more."""
        self.found.append((name, reason, token))


def with_lines(program: Program, definition: KernelDefinition, wanted: Sequence[str], told: Refusals) -> Kernel | None:
    """The version of a kernel whose parameters have lines: those ``wanted``, or all that can; None if none can."""
    tokens = program.tokens
    body = (definition.body + 1, closing(tokens, definition.body))
    first = next(index for index in range(definition.body, -1, -1) if tokens[index].text == "__global__")
    try:
        statements = _statements(program, definition, body)
    except RefusedError as error:
        told.add("", error.reason, error.token)
        return None
    arrays, edits = _arrays(program, definition, body, wanted, told=told)
    arrays, edits = _without_aliases(program, definition, body, arrays, edits=edits, told=told)
    if not arrays:
        return None
    served = frozenset(array.name for array in arrays)
    heads = tuple(_loop_heads(tokens, statements, served))
    if not heads:
        told.add("", "no loop of it refers to an array that can have lines", tokens[first])
        return None
    found = (
        *heads,
        *_flushes(program, body),
        *(edit for array in arrays for edit in edits[array.name]),
        *_renamed(tokens, definition, arrays),
    )
    numbered = tuple(
        Array(item.name, number, item.place, item.element, item.is_const, item.is_restrict)
        for number, item in enumerate(sorted(arrays, key=lambda item: not item.is_const))
    )
    return Kernel(definition, first, body[1] + 1, numbered, found, all(item.is_restrict for item in arrays))


def _statements(program: Program, definition: KernelDefinition, body: tuple[int, int]) -> tuple[Statement, ...]:
    """The statements of a kernel that may have a version with lines. Raises RefusedError."""
    tokens, head = program.tokens, program.tokens[definition.body]
    if definition.template_parameters is not None:
        raise RefusedError("it is a template", head)
    if any(head.start < place < tokens[body[1]].start for place in program.directives):
        raise RefusedError("a directive of the preprocessor stands in it", head)
    for index in range(*body):
        token, behind = tokens[index], tokens[index + 1].text
        word = token.text
        if word == "extern":
            raise RefusedError("it has dynamic shared memory of its own", token)
        if word in ("asm", "__asm__", "goto", "<<<") or word in WORKERS:
            raise RefusedError(f"{word} stands in it", token)
        if word == "[" and not _follows_value(tokens[index - 1]):
            raise RefusedError("a lambda stands in it", token)
        if word == "return" and behind != ";":
            raise RefusedError("it returns an expression", token)
        if word == definition.name:
            raise RefusedError("it names itself", token)
        if token.is_name and word in program.macros and not _is_harmless(program, program.macros[word], definition):
            raise RefusedError(f"the macro {word} may hide what lines must know of", token)
        if token.is_name and behind == "(" and not _is_known(program, index, ()):
            raise RefusedError(f"{word}() may reach memory, and is no statement of its own", token)
        if FENCE.fullmatch(word) and behind == "(" and not _is_statement(tokens, index):
            raise RefusedError(f"{word}() is no statement of its own", token)
    try:
        statements = parse_statements(tokens, *body)
        inside = _in_loops(tokens, body)
    except Unsupported as error:
        raise RefusedError(f"{error} stands in it", head) from error
    for index in sorted(inside):
        if BARRIER.fullmatch(tokens[index].text) and tokens[index + 1].text == "(":
            raise RefusedError("a barrier stands in a loop", tokens[index])
    return statements


def _follows_value(token: Token) -> bool:
    """Whether a ``[`` behind a token is a subscript, or belongs to a declaration."""
    return token.is_name or token.text in (")", "]")


def _is_known(program: Program, index: int, through: tuple[str, ...]) -> bool:
    """Whether a call reaches no memory, or is a fence or an atomic function, or a statement that flushes surround."""
    tokens, word = program.tokens, program.tokens[index].text
    before = tokens[index - 1]
    if word in KEYWORDS or word in program.macros or FENCE.fullmatch(word) or ATOMIC.fullmatch(word):
        return True
    if before.is_name and before.text not in KEYWORDS - {"int", "float", "double", "unsigned", "long"}:
        return True  # a declaration: dim3 grid(1)
    return _is_pure(program, word, through) or _is_statement(tokens, index)


def _is_pure(program: Program, word: str, through: tuple[str, ...]) -> bool:
    """Whether a function reaches no memory: one of CUDA's, or one of this file whose body shows it."""
    if word in through:
        return False
    if word not in program.bodies:
        return bool(PURE.fullmatch(word))
    first, end = program.bodies[word]
    words = program.tokens[first:end]
    if any(token.text in ("[", "&", "asm", "static", "volatile") for token in words):
        return False
    if reaches_memory(program.tokens, (first, end), ()) is not None:
        return False
    return all(
        token.text in KEYWORDS or _is_pure(program, token.text, (*through, word))
        for token, behind in pairwise(words)
        if token.is_name and behind.text == "("
    )


def _is_harmless(program: Program, replacement: str, definition: KernelDefinition) -> bool:
    """Whether what a macro stands for is arithmetic of numbers and its parameters."""
    words = re.findall(r"\w+(?=\s*\()", replacement)
    names = set(re.findall(r"\w+", replacement))
    parameters = {parameter_name(program.tokens[first:end]) for first, end in definition.parameters}
    is_plain = not re.search(r"[\[\]{};#]|->|(?<![=!<>])=(?!=)|\+\+|--", replacement)
    others = all(word in KEYWORDS or PURE.fullmatch(word) for word in words)
    nested = all(name not in program.macros or name in replacement for name in names)
    return is_plain and others and nested and not names & (parameters | {"return", "asm", "goto"})


def _is_statement(tokens: tuple[Token, ...], index: int) -> bool:
    """Whether a call, perhaps of a member, is a statement of its own."""
    first = _start(tokens, index)
    end = closing(tokens, index + 1)
    return tokens[first - 1].text in (";", "{", "}", ")", "else", "do") and tokens[end + 1].text == ";"


def _start(tokens: tuple[Token, ...], index: int) -> int:
    while tokens[index - 1].text in (".", "::") and tokens[index - 2].is_name:
        index -= 2
    return index


def _in_loops(tokens: tuple[Token, ...], body: tuple[int, int]) -> frozenset[int]:
    """The tokens that stand in loops."""
    found: set[int] = set()
    for index in range(*body):
        if tokens[index].text in LOOPS and index not in found:
            found |= set(range(index, parse_statement(tokens, index).end))
    return frozenset(found)


def _arrays(
    program: Program, definition: KernelDefinition, body: tuple[int, int], wanted: Sequence[str], *, told: Refusals
) -> tuple[list[Array], dict[str, tuple[Edit, ...]]]:
    """The parameters whose uses lines can serve, and the edits of these uses."""
    arrays: list[Array] = []
    edits: dict[str, tuple[Edit, ...]] = {}
    atomics = _in_atomics(program.tokens, body)
    for place, (first, end) in enumerate(definition.parameters):
        part = program.tokens[first:end]
        name, words = parameter_name(part), [token.text for token in part]
        if "*" not in words or (wanted and name not in wanted):
            continue
        reason = _refused(words, name, atomics)
        uses = Uses(program.text, program.tokens, body, name, is_const="const" in words[: words.index("*")])
        if reason or not uses.places:
            told.add(name, reason or "the kernel does not use it", part[0])
            continue
        try:
            edits[name] = tuple(uses.edits())
        except RefusedError as error:
            told.add(name, error.reason, error.token)
            continue
        star = next(index for index in range(first, end) if program.tokens[index].text == "*")
        element = program.text[program.tokens[first].start : program.tokens[star].start].strip()
        arrays.append(Array(name, 0, place, element, uses.is_const, any(word in _RESTRICT for word in words)))
    for extra in arrays[MOST:]:
        told.add(extra.name, f"{MOST} arrays have lines already", program.tokens[definition.body])
    return arrays[:MOST], edits


def _refused(words: Sequence[str], name: str, atomics: frozenset[str]) -> str:
    """Why a parameter's declaration forbids lines, or atomic functions do; '' if nothing does."""
    if not name or name.endswith("...") or "(" in words or "[" in words or "&" in words or "=" in words:
        return "its declaration is more than a pointer"
    if words.count("*") > 1:
        return "its elements are pointers"
    if "volatile" in words:
        return "its elements are volatile"
    if "void" in words:
        return "its elements have no type"
    return "an atomic function reaches it" if name in atomics else ""


def _in_atomics(tokens: tuple[Token, ...], body: tuple[int, int]) -> frozenset[str]:
    """The names in what calls of atomic functions reach, but for those in subscripts."""
    found: set[str] = set()
    for index in range(*body):
        if not ATOMIC.fullmatch(tokens[index].text) or tokens[index + 1].text != "(":
            continue
        place, (_, last) = index + 2, next(separated(tokens, index + 2, closing(tokens, index + 1)))
        while place < last:
            found |= {tokens[place].text} if tokens[place].is_name else set()
            place = closing(tokens, place) + 1 if tokens[place].text == "[" else place + 1
    return frozenset(found)


def _without_aliases(
    program: Program,
    definition: KernelDefinition,
    body: tuple[int, int],
    arrays: list[Array],
    *,
    edits: dict[str, tuple[Edit, ...]],
    told: Refusals,
) -> tuple[list[Array], dict[str, tuple[Edit, ...]]]:
    """The arrays without those that other accesses of the kernel may reach, since ``restrict`` does not deny it."""
    pointers = [
        parameter_name(program.tokens[first:end])
        for first, end in definition.parameters
        if any(token.text == "*" for token in program.tokens[first:end])
    ]
    other = reaches_memory(program.tokens, body, [array.name for array in arrays])
    if other is None and len(arrays) == len(pointers):
        return arrays, edits
    where = other or program.tokens[definition.body]
    kept = [array for array in arrays if array.is_restrict]
    for array in arrays:
        if not array.is_restrict:
            told.add(array.name, "the kernel may reach its elements in another way, and it is not __restrict__", where)
    return kept, {array.name: edits[array.name] for array in kept}


def _loop_heads(tokens: tuple[Token, ...], statements: Sequence[Statement], served: frozenset[str]) -> Iterator[Edit]:
    """A call at the head of each innermost loop that uses an array."""
    for statement in statements:
        inner = tuple(_loop_heads(tokens, statement.parts, served))
        yield from inner
        names = {token.text for token in tokens[statement.first : statement.end]}
        if statement.kind not in LOOPS or inner or not names & served:
            continue
        body = statement.parts[0]
        opens = body.kind == "block"
        place = tokens[body.first].end if opens else tokens[body.first].start
        yield Edit(Span(place, place), " accache_cache.loop_head();" if opens else "{ accache_cache.loop_head(); ")
        if not opens:
            yield Edit(Span(tokens[body.end - 1].end, tokens[body.end - 1].end), " }")


def _flushes(program: Program, body: tuple[int, int]) -> Iterator[Edit]:
    """Flushes before fences, barriers and returns, around calls that may reach memory, and at the end."""
    tokens = program.tokens
    for index in range(*body):
        word, is_call = tokens[index].text, tokens[index + 1].text == "("
        if word == "return":
            yield from _around(tokens, index, index + 1, behind="")
        elif is_call and FENCE.fullmatch(word):
            yield from _around(tokens, _start(tokens, index), closing(tokens, index + 1) + 1, behind="")
        elif is_call and _is_statement(tokens, index) and not _reaches_nothing(program, word):
            yield from _around(tokens, index, closing(tokens, index + 1) + 1, behind=" accache_cache.flush();")
    end = tokens[body[1]].start
    yield Edit(Span(end, end), "    accache_cache.flush();\n")


def _reaches_nothing(program: Program, word: str) -> bool:
    known = word in KEYWORDS or word in program.macros or ATOMIC.fullmatch(word)
    return bool(known) or _is_pure(program, word, ())


def _around(tokens: tuple[Token, ...], first: int, last: int, behind: str) -> Iterator[Edit]:
    """A statement, the ``;`` of which stands at ``last``, in braces behind a flush."""
    yield Edit(Span(tokens[first].start, tokens[first].start), "{ accache_cache.flush(); ")
    yield Edit(Span(tokens[last].end, tokens[last].end), f"{behind} }}")


def _renamed(tokens: tuple[Token, ...], definition: KernelDefinition, arrays: Sequence[Array]) -> Iterator[Edit]:
    """The parameters that arrays come by have another name."""
    for array in arrays:
        first, end = definition.parameters[array.place]
        token = next(token for token in reversed(tokens[first:end]) if token.text == array.name)
        yield Edit(Span(token.start, token.end), f"{array.name}_memory")
