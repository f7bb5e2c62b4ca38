"""The loads of a kernel's arrays: where they stand, and their indices as polynomials in positions and parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from msgspec import Struct

from accache.analysis.aliasing import may_share
from accache.analysis.canonical import canonical_loop, loop_variable
from accache.cuda.kernel import KernelView
from accache.ir.kernels.simt import CanonicalLoop
from accache.ir.names import user_name
from accache.ir.openacc.regions import FreeVariable
from accache.ir.openacc.routines import Routine
from accache.ir.polynomial import Polynomial
from accache.ir.tree import (
    STEPPING,
    Assign,
    Binary,
    Call,
    Cast,
    Declare,
    Expr,
    For,
    Member,
    Stmt,
    StringLiteral,
    Subscript,
    Unary,
    Variable,
)
from accache.ir.types import (
    Arithmetic,
    Array,
    CType,
    Pointer,
    Record,
    is_const,
    is_volatile,
    resolve,
)
from accache.ir.walk import (
    assigned_variables,
    children,
    nodes_of,
    single_addresses,
    single_definitions,
    used_variables,
    walk,
)
from accache.preload.indices import index_of
from accache.preload.macro_uses import place_in_use
from accache.preload.uniform import symbol_of, uniform_names

Path = tuple[Stmt, ...]


class Reference(Struct, frozen=True):
    """A load of an array's element: the offset of its text, its index, and the statements around it."""

    array: str
    offset: int
    index: Polynomial | None
    path: Path


class Arrays(Struct, frozen=True):
    """What a kernel does with the arrays that its parameters point to.

    ``references`` are the loads of each array, ``written`` the arrays that it may write, ``reasons`` why others cannot
    be copied. ``unknown_writes`` says that it may write what neither a parameter nor a name of the file leads to.
    ``uniform`` are the names that have one value for all threads of a block, ``computed`` what symbols of indices
    stand for that are no names.
    """

    references: Mapping[str, tuple[Reference, ...]]
    written: tuple[str, ...]
    reasons: Mapping[str, str]
    unknown_writes: bool
    uniform: frozenset[str]
    definitions: Mapping[str, Expr]
    computed: Mapping[str, Expr]

    def names(self, symbols: Iterable[str]) -> frozenset[str]:
        """The names that symbols are, or are computed from."""
        found = (used_variables(self.computed[each]) if each in self.computed else {each} for each in symbols)
        return frozenset[str]().union(*found)


def arrays_of(view: KernelView, block: tuple[int, int, int]) -> Arrays:
    """What a view's kernel does with its arrays, in blocks of these extents."""
    definitions = single_definitions(view.body)
    extents = {f"blockDim_{axis}": Polynomial.constant(size) for axis, size in zip("xyz", block, strict=True)}
    extents |= {f"threadIdx_{axis}": Polynomial() for axis, size in zip("xyz", block, strict=True) if size == 1}
    pointers = frozenset(item.name for item in view.parameters if isinstance(resolve(item.type), Pointer))
    written, of_file, unknown = _written(view, pointers)
    given = (node.target for node in nodes_of(view.body, Assign) if node.op == "=")
    unknown = unknown or any(isinstance(target, Variable) and target.name in pointers for target in given)
    reasons: dict[str, str] = {}
    found: dict[str, list[Reference]] = {}
    subscripts = Counter[str]()
    behind = _behind_members(view.body)
    uniform, computed = uniform_names(view, definitions), dict[str, Expr]()

    def other(expr: Expr) -> Polynomial | None:
        return None if view.arguments else symbol_of(expr, definitions, uniform - definitions.keys(), computed)

    for parameter in view.parameters:
        target = resolve(parameter.type)
        if parameter.name not in used_variables(view.body):
            continue
        if isinstance(target, Record) and parameter.name in behind:
            reasons[parameter.name] = "its arrays are reached by members of a structure"
        if not isinstance(target, Pointer):
            continue
        if reason := _reason_against(parameter, view, written, of_file):
            reasons[parameter.name] = reason
        else:
            found[parameter.name] = []
    for node, path in placed(view.body):
        if isinstance(node, Subscript) and isinstance(node.base, Variable) and node.base.name in found:
            index = index_of(node.index, definitions, other)
            index = index.substitute(extents) if index is not None else None
            offset = view.where(node.location, user_name(node.base.name))
            if offset is None:
                offset = place_in_use(view, node.location, user_name(node.base.name))
            again = next((other for other in found[node.base.name] if other.offset == offset), None)
            subscripts[node.base.name] += 1
            if offset is None or (again is not None and again.index != index):
                reasons[node.base.name] = "a macro holds a reference, or it has the index in front of the array"
            elif again is None:
                found[node.base.name].append(Reference(node.base.name, offset, index, path))
    reasons |= dict.fromkeys(found.keys() & _addressed(view.body), "the address of an element is taken")
    for name in found:
        uses = sum(1 for node in nodes_of(view.body, Variable) if node.name == name)
        if uses != subscripts[name]:
            reasons.setdefault(name, "it is used otherwise than by subscripts")
    kept = {name: tuple(references) for name, references in found.items() if name not in reasons}
    return Arrays(
        kept, tuple(sorted(written)), reasons, unknown, uniform=uniform, definitions=definitions, computed=computed
    )


def _reason_against(
    parameter: FreeVariable, view: KernelView, written: Collection[str], of_file: Mapping[str, CType]
) -> str:
    """Reason the elements of a pointer cannot have copies, whatever the references are, or ''."""
    target = resolve(parameter.type)
    assert isinstance(target, Pointer)
    element = resolve(target.target)
    if is_volatile(element):
        return "volatile"
    if not isinstance(element, (Arithmetic, Record)):
        return "its elements are no numbers or structures"
    if _has_constants(element):
        return "its elements have const members"
    if parameter.name not in view.elements:
        return "its type has a name of its own"
    if parameter.name in written:
        return "written"
    shared = next((name for name, ctype in of_file.items() if may_share(parameter.type, ctype)), "")
    if shared:
        return f"may alias '{user_name(shared)}', which the kernel writes"
    return "the pointer moves" if parameter.name in assigned_variables(view.body) else ""


def _has_constants(element: CType) -> bool:
    """Whether a structure has members that nothing may be assigned to, as it is when it is copied."""
    if isinstance(element, Array):
        return _has_constants(resolve(element.element))
    fields = element.members if isinstance(element, Record) else ()
    return any(is_const(field.type) or _has_constants(resolve(field.type)) for field in fields)


def _behind_members(body: Stmt) -> frozenset[str]:
    """The variables whose members lead to arrays: ``rows`` of ``rows.of[1][j]``."""
    found = set()
    for node in walk(body):
        place = node.base if isinstance(node, Subscript) else node.operand if isinstance(node, Unary) else None
        if place is None or not isinstance(resolve(place.type), Pointer):
            continue
        is_member = False
        while isinstance(place, (Member, Subscript)):
            is_member = is_member or isinstance(place, Member)
            place = place.base
        if is_member and isinstance(place, Variable):
            found.add(place.name)
    return frozenset(found)


def _addressed(body: Stmt) -> frozenset[str]:
    """The arrays of which an element's address is taken: who has it may use what lies beside the element."""
    found = set()
    for node in walk(body):
        if isinstance(node, Unary) and node.op == "&":
            place = node.operand
            while isinstance(place, (Member, Subscript)):
                place = place.base
            found |= {place.name} if isinstance(place, Variable) else set()
    return frozenset(found)


def placed(node: Stmt | Expr, path: Path = ()) -> Iterator[tuple[Stmt | Expr, Path]]:
    """All nodes, each with the statements around it."""
    yield node, path
    inner = (*path, node) if isinstance(node, Stmt) else path
    for child in children(node):
        yield from placed(child, inner)


def _written(view: KernelView, pointers: frozenset[str]) -> tuple[set[str], dict[str, CType], bool]:
    """The parameters through which a kernel may write, the variables of the file, and whether there may be more."""
    roots = _Roots(single_addresses(view.body), pointers, frozenset(_declared(view.body)))
    written: set[str] = set()
    of_file: dict[str, CType] = {}
    unknown = False
    for body, known in ((view.body, roots), *_of_routines(view)):
        for node in walk(body):
            for target in _changed(node):
                root, variable = known.of(target), known.of_file(target)
                if variable is not None:
                    of_file[variable.name] = variable.type
                elif root is None:
                    unknown = True
                elif root and known is roots:
                    written.add(root)
    readers = _readers(view)
    for node in walk(view.body):
        for number, argument in _handed_on(node):
            if isinstance(node, Call) and (node.function, number) in readers:
                continue
            if isinstance(resolve(argument.type), (Pointer, Array)):
                root, variable = roots.behind(argument), roots.of_file(argument)
                if variable is not None:
                    of_file[variable.name] = variable.type
                unknown = unknown or (root is None and variable is None)
                written |= {root} if root else set()
    return written, of_file, unknown


def _of_routines(view: KernelView) -> Iterator[tuple[Stmt, _Roots]]:
    """The device functions that are called; what their pointers lead to their callers see."""
    for routine in view.routines:
        if routine.body is not None:
            names = frozenset(item.name for item in routine.parameters)
            yield (
                routine.body,
                _Roots(single_addresses(routine.body), names, frozenset(_declared(routine.body)) | names),
            )


def _handed_on(node: Expr | Stmt) -> tuple[tuple[int, Expr], ...]:
    """The arguments of a call, by number, through which it may write if they are pointers: none of printf's."""
    if not isinstance(node, Call) or node.function == "printf":
        return ()
    return tuple((number, each) for number, each in enumerate(node.arguments) if not isinstance(each, StringLiteral))


def _readers(view: KernelView) -> frozenset[tuple[str, int]]:
    """The parameters of device functions, by number, that lead to const data through which nothing is written."""
    bodies = {routine.name: routine for routine in view.routines if routine.body is not None}
    found = {
        (routine.name, number)
        for routine in bodies.values()
        for number, item in enumerate(routine.parameters)
        if isinstance(target := resolve(item.type), Pointer) and is_const(target.target)
    }
    while True:
        kept = {(name, number) for name, number in found if not _writes(bodies[name], number, found)}
        if kept == found:
            return frozenset(found)
        found = kept


def _writes(routine: Routine, number: int, readers: set[tuple[str, int]]) -> bool:
    """Whether a function may write through a parameter in spite of its type, itself or by what it calls."""
    names = frozenset(item.name for item in routine.parameters)
    assert routine.body is not None, "it was chosen for that"
    roots = _Roots(single_addresses(routine.body), names, frozenset(_declared(routine.body)) | names)
    wanted = routine.parameters[number].name
    for node in walk(routine.body):
        if any(roots.of(target) in (wanted, None) for target in _changed(node)):
            return True
        for place, argument in _handed_on(node):
            is_pointer = isinstance(resolve(argument.type), (Pointer, Array))
            if isinstance(node, Call) and is_pointer and (node.function, place) not in readers:
                return True
    return False


def _changed(node: Expr | Stmt) -> tuple[Expr, ...]:
    """What a node changes."""
    if isinstance(node, Assign):
        return (node.target,)
    return (node.operand,) if isinstance(node, Unary) and node.op in STEPPING else ()


def _declared(body: Stmt) -> set[str]:
    return {node.name for node in nodes_of(body, Declare)}


class _Roots(Struct, frozen=True):
    """Where what expressions denote lies: behind a parameter, in a local variable (''), or nobody knows (None)."""

    addresses: Mapping[str, Expr]
    pointers: frozenset[str]
    local: frozenset[str]

    def of(self, place: Expr) -> str | None:
        """Where a place lies."""
        if isinstance(place, Variable):
            return "" if place.name in self.local | self.pointers else None
        if isinstance(place, Subscript):
            is_array = isinstance(resolve(place.base.type), Array)
            return self.of(place.base) if is_array else self.behind(place.base)
        if isinstance(place, Member):
            return self.behind(place.base) if place.arrow else self.of(place.base)
        return self.behind(place.operand) if isinstance(place, Unary) and place.op == "*" else None

    def of_file(self, place: Expr) -> Variable | None:
        """The variable of the file that a place is a part of, if that can be seen."""
        around: Expr | None = place
        while around is not None and not isinstance(around, Variable):
            around = _around(around)
        return around if around is not None and around.name not in self.local | self.pointers else None

    def behind(self, pointer: Expr) -> str | None:
        """Where what a pointer leads to lies; that of an array, the array itself."""
        if isinstance(pointer, Variable):
            if pointer.name in self.pointers:
                return pointer.name
            if isinstance(resolve(pointer.type), Array):
                return self.of(pointer)
            return self.behind(self.addresses[pointer.name]) if pointer.name in self.addresses else None
        if isinstance(pointer, Binary) and pointer.op in ("+", "-"):
            sides = [side for side in (pointer.left, pointer.right) if isinstance(resolve(side.type), (Pointer, Array))]
            return self.behind(sides[0]) if len(sides) == 1 else None
        if isinstance(pointer, Cast):
            return self.behind(pointer.operand)
        if isinstance(pointer, Unary) and pointer.op == "&":
            return self.of(pointer.operand)
        return self.of(pointer) if isinstance(resolve(pointer.type), Array) else None


def _around(place: Expr) -> Expr | None:
    """What a place is a part of, or lies in by the address that stands there; None if neither can be seen."""
    if isinstance(place, Member):
        return None if place.arrow else place.base
    if isinstance(place, Unary):
        return place.operand if place.op == "&" or (place.op == "*" and _is_address(place.operand)) else None
    base = place.base if isinstance(place, Subscript) else place.left if isinstance(place, Binary) else None
    return base if base is not None and isinstance(resolve(base.type), Array) else None


def _is_address(pointer: Expr) -> bool:
    """Whether a pointer is what stands there: the address of something, or an array."""
    base = pointer.left if isinstance(pointer, Binary) else pointer
    return (isinstance(base, Unary) and base.op == "&") or isinstance(resolve(base.type), Array)


def loop_of(stmt: Stmt) -> CanonicalLoop | None:
    """The counted loop that a statement is, if it counts upwards to a limit."""
    loop = canonical_loop(stmt) if isinstance(stmt, For) else ""
    if not isinstance(loop, CanonicalLoop) or loop.step < 1 or loop.operator not in ("<", "<="):
        return None
    return None if loop.may_not_start else loop


def shadowed(names: frozenset[str], view: KernelView) -> bool:
    """Whether a name means something else somewhere in its scope: in the kernel, or in the loop that counts by it."""
    for name in names:
        loops: list[Stmt] = [node for node in nodes_of(view.body, For) if loop_variable(node) == name]
        for scope in loops or [view.body]:
            declared = (node.name for node in nodes_of(scope, Declare))
            if any(other != name and user_name(other) == user_name(name).partition(".")[0] for other in declared):
                return True
    return False
