"""One kernel: which of its parameters can have lines, and the edits that make the version of it that has them.

A parameter has lines if each use of it has a form that is known to be right, and a kernel only if all else in it is
known not to reach what the lines hold, or to be flushed around.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from accache.base.text import Edit, Span
from accache.cpu.definitions import parameter_name
from accache.cpu.tokens import Token
from accache.cuda.items import Item
from accache.cuda.text import Cuda
from accache.workflows.private_lines.declared import Declared
from accache.workflows.private_lines.names import RESTRICT
from accache.workflows.private_lines.reading import Found, RefusedError
from accache.workflows.private_lines.statements import Body, parameter_type
from accache.workflows.private_lines.types import Type
from accache.workflows.private_lines.words import merged

MOST = 31
"""How many arrays can have lines."""
_LARGEST = 16


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

    item: Item
    arrays: tuple[Array, ...]
    edits: tuple[Edit, ...]
    apart: bool


class Program(Struct, frozen=True):
    """A .cu text, and what it declares with its headers; at ``directives`` it has some that are no pragmas."""

    cuda: Cuda
    declared: Declared
    directives: tuple[int, ...]


class Refusals(Struct, frozen=True):
    """Why parameters have no lines, each with a token that tells where; the name is '' for the kernel itself."""

    found: list[tuple[str, str, Token]]

    def add(self, name: str, reason: str, token: Token) -> None:
        """One more."""
        self.found.append((name, reason, token))


class _Candidate(Struct, frozen=True):
    array: Array
    element: Type


def with_lines(program: Program, item: Item, wanted: Sequence[str], told: Refusals) -> Kernel | None:
    """The version of a kernel whose parameters have lines: those ``wanted``, or all that can; None if none can."""
    tokens = program.cuda.tokens
    reason = _unfit(program, item)
    if reason:
        told.add("", reason, tokens[item.body])
        return None
    candidates = dict(_candidates(program, item, wanted, told))
    try:
        found = _judged(program, item, candidates, told=told)
    except RefusedError as error:
        told.add("", error.reason, error.token)
        return None
    if not candidates:
        return None
    if not found.heads:
        told.add("", "no loop of it refers to an array that can have lines", tokens[item.first])
        return None
    arrays = [candidate.array for candidate in candidates.values()]
    end = tokens[item.end - 1].start
    edits = (
        *found.heads,
        *found.edits,
        *found.tails,
        Edit(Span(end, end), "    accache_cache.flush();\n"),
        *_renamed(tokens, item, arrays),
    )
    numbered = tuple(
        replace(array, number=number)
        for number, array in enumerate(sorted(arrays, key=lambda array: not array.is_const))
    )
    return Kernel(item, numbered, edits, all(array.is_restrict for array in arrays))


def _unfit(program: Program, item: Item) -> str:
    """Why nothing can be told of a kernel; '' if something can."""
    tokens, first, end = program.cuda.tokens, item.first, item.end - 1
    if item.is_template:
        return "it is a template"
    if program.declared.unclear:
        return program.declared.unclear
    if any(tokens[first].start < place < tokens[end].start for place in program.directives):
        return "a directive of the preprocessor stands in it"
    names = [parameter_name(tokens[one:two]) for one, two in item.parameters]
    if "" in names and program.cuda.spelled(*item.parameters[0]) != "void":
        return "a parameter has no name"
    if item.name in names:
        return "a parameter has its name"
    added = {f"{name}{end}" for name in names for end in ("_memory", "_extent")}
    taken = next((token.text for token in tokens[first:end] if token.text in added), "")
    taken = taken or next((token.text for token in tokens[first:end] if token.text.startswith("accache_")), "")
    if taken:
        return f"it uses the name {taken}, which its version with lines has for itself"
    versions = {f"{item.name}{end}" for end in ("_private", "_lines")}
    taken = next((token.text for file in program.cuda.files for token in file.tokens if token.text in versions), "")
    if taken:
        return f"there is a {taken} already"
    if any(token.text == item.name for token in tokens[item.body : end]):
        return "it names itself"
    return ""


def _judged(program: Program, item: Item, candidates: dict[str, _Candidate], *, told: Refusals) -> Found:
    """What a reading of the kernel finds where ``candidates`` are left that all of it serves. Raises RefusedError."""
    tokens, last = program.cuda.tokens, program.cuda.tokens[item.end - 1]
    words = (*merged(tokens[item.body + 1 : item.end - 1]), Token("end", "", last.start, last.end))
    scope = {
        parameter_name(tokens[first:end]): parameter_type(merged(tokens[first:end]), program.declared)
        for first, end in item.parameters
    }
    while True:
        found = Found()
        served = {name: candidate.element for name, candidate in candidates.items()}
        reader = Body(program.declared, words, 0, served=served, scopes=[dict(scope)], found=found)
        try:
            reader.statements(len(words) - 1)
        except RefusedError as error:
            if not error.name:
                raise
            told.add(error.name, error.reason, error.token)
            del candidates[error.name]
            continue
        lost = _lost(candidates, found, tokens[item.body])
        if not lost:
            return found
        for name, (reason, token) in lost.items():
            told.add(name, reason, token)
            del candidates[name]


def _lost(candidates: Mapping[str, _Candidate], found: Found, head: Token) -> dict[str, tuple[str, Token]]:
    """The parameters that need no lines, or that others may lead to since ``restrict`` does not deny it."""
    used = {name for name, _ in found.used}
    lost = {name: ("the kernel does not use it", head) for name in candidates if name not in used}
    if found.other is not None:
        reason = "the kernel may reach its elements in another way, and it is not __restrict__"
        open_ = (name for name, candidate in candidates.items() if not candidate.array.is_restrict)
        lost.update((name, (reason, found.other)) for name in open_ if name not in lost)
    return lost


def _candidates(
    program: Program, item: Item, wanted: Sequence[str], told: Refusals
) -> Iterator[tuple[str, _Candidate]]:
    """The parameters whose declarations lines can serve."""
    count = 0
    for place, (first, end) in enumerate(item.parameters):
        part = program.cuda.tokens[first:end]
        name, words = parameter_name(part), [token.text for token in part]
        if "*" not in words or (wanted and name not in wanted):
            continue
        made = parameter_type(merged(part), program.declared)
        reason = _refused(words, name, made)
        if not reason and count == MOST:
            reason = f"{MOST} arrays have lines already"
        if reason or made is None or made.target is None:
            told.add(name, reason, part[0])
            continue
        count += 1
        element = words[: words.index("*")]
        is_restrict = not RESTRICT.isdisjoint(words)
        spelled = " ".join(word for word in element if word not in ("const", "struct", "enum"))
        array = Array(name, 0, place, " ".join(element), made.target.is_const, is_restrict)
        yield name, _Candidate(array, replace(made.target, spelled=spelled))


def _refused(words: Sequence[str], name: str, made: Type | None) -> str:
    """Why a parameter's declaration forbids lines; '' if nothing does."""
    if not name or name.endswith("...") or not {"(", "[", "&", "="}.isdisjoint(words):
        return "its declaration is more than a pointer"
    if words.count("*") > 1:
        return "its elements are pointers"
    if "volatile" in words:
        return "its elements are volatile"
    if "void" in words:
        return "its elements have no type"
    if made is None or made.target is None:
        return "the type of its elements is not recognised"
    if made.target.is_volatile:
        return "its elements are volatile"
    if made.target.kind not in ("number", "record"):
        return "its elements are no numbers or plain structures"
    if made.target.size > _LARGEST:
        return f"its elements have more than {_LARGEST} bytes"
    return ""


def _renamed(tokens: tuple[Token, ...], item: Item, arrays: Sequence[Array]) -> Iterator[Edit]:
    """The parameters that arrays come by have another name."""
    for array in arrays:
        first, end = item.parameters[array.place]
        token = next(token for token in reversed(tokens[first:end]) if token.text == array.name)
        yield Edit(Span(token.start, token.end), f"{array.name}_memory")
