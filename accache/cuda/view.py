"""Views of CUDA kernels: what the front end makes of their text as C, with the way back to the .cu text."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence

from accache.base.diagnostics import CompileError, Reporter
from accache.base.text import Location, Span
from accache.cpu.definitions import parameter_name
from accache.cpu.tokens import HASH
from accache.cuda.approximated import ATOMIC, LOCKS, WARPS
from accache.cuda.deduced import deduced
from accache.cuda.items import Item, declared_names
from accache.cuda.kernel import KernelView
from accache.cuda.needed import needed
from accache.cuda.text import Cuda, NoViewError, expect_brackets
from accache.cuda.view_text import ViewText, view_text
from accache.cuda.words import BARRIER, BARRIERS
from accache.frontend.program import build_program
from accache.frontend.source.alignment import Unit, align
from accache.frontend.source.constructs import find_pragmas
from accache.frontend.source.preprocess import PreprocessOptions, preprocess
from accache.ir.build import INT
from accache.ir.openacc.routines import Routine
from accache.ir.tree import Call, Cast, IntLiteral, SizeOf, Stmt
from accache.ir.types import Array, Record, resolve
from accache.ir.walk import nodes_of

_GROUP = re.compile(rf"{HASH}(if|ifdef|ifndef|else|elif)\b")
_TOGETHER = re.compile(r"__\w+_sync|__\w*barrier")
"""Functions of CUDA that threads call together, of warps, blocks and clusters: ``__reduce_or_sync``."""
_TRUTHS = frozenset(("<", ">", "<=", ">=", "==", "!=", "&&", "||", "!"))
_DECLARING = ("device", "host", "other", "memory")
"""Items in front of whose bodies functions are declared, perhaps by macros: ``FUNCTION(float) add(float a)``."""
_VARIABLES = frozenset(("ACC342",))
"""What is no error here: kernels use variables of the file, and where they are stands among these."""


class _Reporter(Reporter, dict=True):
    """Collects what the front end finds, but for what a view may have."""

    def report(self, code: str, location: Location | None = None, **values: object) -> None:
        """As ``Reporter.report`` does."""
        if code not in _VARIABLES:
            super().report(code, location, **values)


def view(
    cuda: Cuda,
    kernel: Item,
    arguments: Mapping[str, str],
    options: PreprocessOptions,
    *,
    as_written: bool = False,
) -> KernelView:
    """The view of a kernel, of one instance if it is a template.

    One that is read ``as_written`` has the functions of CUDA themselves that views approximate, to be printed again.

    Raises:
        NoViewError: there is none.
    """
    expect_brackets(cuda, kernel)
    types = deduced(cuda, kernel, needed(cuda, kernel), lambda other, item: view(other, item, arguments, options))
    text = view_text(cuda, kernel, arguments, types, given=options.arguments, as_written=as_written)
    reporter = _Reporter()
    unit: Unit | None = None
    try:
        preprocessed = preprocess(text.source, options, reporter)
        sites = find_pragmas(text.source, preprocessed, reporter)
        unit = align(text.source, preprocessed)
        refuse_unread(cuda, kernel, text, unit)
        _refuse_sizes(cuda, kernel, text, unit)
        program = build_program(unit, preprocessed, sites, reporter)
    except CompileError as error:
        if unit is not None:
            _refuse_left_out(cuda, kernel, unit)
        raise _refusal(cuda, kernel, text, error) from None
    routine = next((item for item in program.routines if item.name == kernel.name), None)
    if routine is None or routine.body is None:
        raise NoViewError("the C parser leaves it out", _head(cuda, kernel))
    _refuse_overloads(cuda, kernel, unit, {item.name for item in program.routines})
    others = tuple(item for item in program.routines if item.name != kernel.name)
    _refuse_left_out(cuda, kernel, unit)
    bodies = (routine.body, *(item.body for item in others if item.body is not None))
    _refuse_sizes_of_records(cuda, kernel, text, bodies)
    _refuse_constants(cuda, kernel, text, bodies)
    _refuse_unknown_calls(cuda, kernel, bodies, {item.name for item in program.routines if item.body is not None})
    first, last = cuda.tokens[kernel.first].start, cuda.tokens[kernel.end - 1].end
    groups = any(first <= span.start < last and _GROUP.match(cuda.source.text, span.start) for span in cuda.directives)
    return KernelView(
        kernel.name,
        routine.parameters,
        routine.body,
        others,
        shared=text.shared,
        item=kernel,
        text=text,
        meets_by=_meets_by(cuda, kernel, others),
        has_conditionals=groups,
        elements=_elements(cuda, kernel),
        arguments=arguments,
        constants=frozenset(_constants(cuda, kernel)),
    )


def _constants(cuda: Cuda, kernel: Item) -> Iterator[str]:
    """The variables in constant memory that a kernel can name without their namespaces."""
    scope = cuda.scope(kernel.first)
    for file in cuda.files:
        for item in (item for item in file.items if item.kind == "memory"):
            words = {token.text for token in file.tokens[item.first : item.end]}
            around = file.scope(item.first)
            if "__constant__" in words and scope[: len(around)] == around:
                yield from declared_names(file.tokens, item.first, item.end - 1)


def _elements(cuda: Cuda, kernel: Item) -> dict[str, str]:
    """The types that a kernel's parameters point to, as they are written; none for what a name of a type hides."""
    found = {}
    for first, end in kernel.parameters:
        tokens = cuda.tokens[first:end]
        name, words = parameter_name(tokens), [token.text for token in tokens]
        if not name and words != ["void"]:
            raise NoViewError("a parameter has no name that can be read", Span(tokens[0].start, tokens[-1].end))
        mark = next((word for word in ("*", "[") if word in words), "")
        if mark:
            before = words[: words.index("*")] if mark == "*" else words[: words.index(name)]
            found[name] = " ".join(word for word in before if word != "const")
    return found


def _meets_by(cuda: Cuda, kernel: Item, routines: tuple[Routine, ...]) -> str:
    """What a kernel or a function that it calls names by which threads hear of each other, or wait; '' if nothing."""
    names = {kernel.name, *(item.name for item in routines)}
    parts = (file.tokens[item.first : item.end] for file in cuda.files for item in file.items if item.name in names)
    words = {token.text for tokens in parts for token in tokens}
    if "volatile" in words:
        return "volatile data"
    spins = words & LOCKS or (words & ATOMIC if words & {"while", "do"} else set())
    barriers = words & BARRIERS if any(item.name == BARRIER for item in routines) else set()
    together = {word for word in words if _TOGETHER.match(word)}
    return min(words & WARPS | together | spins | barriers, default="")


def refuse_unread(cuda: Cuda, kernel: Item, text: ViewText, unit: Unit) -> None:
    """Refuse a kernel that the C parser cannot read; it tells of each function that it leaves out."""
    first, last = cuda.tokens[kernel.first].start, cuda.tokens[kernel.end - 1].end
    for index, reason in unit.tree[1]:
        found = unit.origins[index].span
        place = text.raw(found.start) if found is not None else None
        if found is not None and place is not None and first <= place < last:
            raise NoViewError(f"C has no such construct ({reason})", Span(place, place + found.end - found.start))


def _refuse_left_out(cuda: Cuda, kernel: Item, unit: Unit) -> None:
    """Refuse a kernel with a device function, or a type, that the C parser leaves out: their functions may write."""
    names = {item.name for file in cuda.files for item in file.items if item.kind in ("device", "type")}
    names -= {"", kernel.name}
    for index, reason in unit.tree[1]:
        start, end = unit.file_scope_item(index) or (index, index)
        head = unit.tokens[start : next((k for k in range(start, end) if unit.tokens[k] == "{"), end)]
        name = next((word for word in head if word in names), "")
        if name:
            raise NoViewError(f"C has no such construct as in '{name}' ({reason})", _head(cuda, kernel))


def _refuse_sizes(cuda: Cuda, kernel: Item, text: ViewText, unit: Unit) -> None:
    """Refuse sizes of what has another type in C++: of characters and of truth values."""
    for index, token in enumerate(unit.tokens[:-1]):
        if token != "sizeof" or unit.origins[index].system:
            continue
        measured = unit.tokens[index + 1 : unit.pairs.get(index + 1, index + 1) + 1]
        if any("'" in word or word in _TRUTHS for word in measured):
            found = unit.origins[index].span
            place = text.raw(found.start) if found is not None else None
            span = Span(place, place + len(token)) if place is not None else _head(cuda, kernel)
            raise NoViewError("it uses the size of a character or a truth value", span)


def _refuse_sizes_of_records(cuda: Cuda, kernel: Item, text: ViewText, bodies: Sequence[Stmt]) -> None:
    """Refuse sizes of structures: a view knows nothing of their alignment, nor that no object of C++ is empty."""
    for node in (node for body in bodies for node in nodes_of(body, SizeOf)):
        of = resolve(node.of)
        while isinstance(of, Array):
            of = resolve(of.element)
        if isinstance(of, Record):
            place = text.raw(text.source.offset(node.location.line, max(1, node.location.column)))
            span = Span(place, place + len("sizeof")) if place is not None else _head(cuda, kernel)
            raise NoViewError("it uses the size of a structure", span)


def _refuse_unknown_calls(cuda: Cuda, kernel: Item, bodies: Sequence[Stmt], known: set[str]) -> None:
    """Refuse calls of functions that are not ``known``: no C, elsewhere, or held by variables. They may write."""
    items = [(file, item) for file in cuda.files for item in file.items]
    defined = {item.name for _, item in items if item.kind in ("device", "host")}
    heads = (file.tokens[item.first : item.body or item.end] for file, item in items if item.kind in _DECLARING)
    declared = {token.text for head in heads for token in itertools.takewhile(lambda each: each.text != "=", head)}
    called = {node.function for body in bodies for node in nodes_of(body, Call)} - known
    name = min(called & (declared | defined), default="")
    if name:
        reason = "is no C" if name in defined else "is not defined in the file"
        raise NoViewError(f"it calls '{name}', which {reason}", _head(cuda, kernel))


def _refuse_constants(cuda: Cuda, kernel: Item, text: ViewText, bodies: Sequence[Stmt]) -> None:
    """Refuse ints of enumerations with values beyond: C++ has them in the type of the whole enumeration."""
    for node in (node for body in bodies for node in nodes_of(body, Cast)):
        of = node.operand
        if (
            node.type == INT
            and isinstance(of, IntLiteral)
            and of.location == node.location
            and of.spelling.isidentifier()
        ):
            place = text.raw(text.source.offset(node.location.line, max(1, node.location.column)))
            span = Span(place, place + len(of.spelling)) if place is not None else _head(cuda, kernel)
            raise NoViewError(f"'{of.spelling}' is of an enumeration with values beyond int", span)


def _refuse_overloads(cuda: Cuda, kernel: Item, unit: Unit, names: set[str]) -> None:
    """Refuse a kernel that calls a function of which C has one definition, and C++ several."""
    seen: set[str] = set()
    for index, name in enumerate(unit.tokens[:-1]):
        if name in names and unit.tokens[index + 1] == "(":
            close = unit.pairs.get(index + 1, index)
            if unit.tokens[close + 1 : close + 2] == ("{",):
                if name in seen:
                    raise NoViewError(f"it uses the overloaded function '{name}'", _head(cuda, kernel))
                seen.add(name)


def _head(cuda: Cuda, kernel: Item) -> Span:
    token = cuda.tokens[kernel.body - 1 if not kernel.parameters else kernel.parameters[0][0] - 2]
    return Span(token.start, token.end)


def _refusal(cuda: Cuda, kernel: Item, text: ViewText, error: CompileError) -> NoViewError:
    """What the front end says of a view, at its place in the .cu text."""
    found = next((each for each in error.diagnostics if each.severity.value == "error"), error.diagnostics[0])
    place = None
    if found.location is not None and found.location.column:
        place = text.raw(text.source.offset(found.location.line, found.location.column))
    span = Span(place, place + found.length) if place is not None else _head(cuda, kernel)
    return NoViewError(found.message, span)
