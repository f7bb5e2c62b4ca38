"""Which copies on the device start without a value, and which constructs of the program meet them, in what order.

Before: ``#pragma acc data create(t[0:n])`` around two loops, where ``t`` is the function's own. After: the two visits
of the copy. Nothing is said of what may be on the device already: what another function has put there, or an address
leads to that went elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from pycparser import c_ast

from accache.base.properties import cached_property
from accache.frontend.c.calls import NOT_OURS, called_functions
from accache.frontend.c.escapes import Escapes, changed_in, declared_once
from accache.frontend.c.host_flow import Event, events_of
from accache.frontend.c.lengths import NUMBERS
from accache.frontend.c.liveness import LOOPS
from accache.frontend.openacc.presence import RUNTIME, Presence
from accache.ir.names import user_name
from accache.ir.openacc.lifetimes import Lifetime, Visit
from accache.ir.openacc.regions import DataClause, DataConstruct, Region
from accache.ir.tree import Variable
from accache.ir.types import Array, Complex, CType, Pointer, Record, element_type, is_number, resolve

STARTING = ("create", "copyout")
"""The clauses whose copies have no value."""
_FILLING = frozenset(("device", "use_device", "delete", "detach", "attach", "link", "deviceptr"))
"""The clauses that fill a copy, lend it out, or end it."""
_HARMLESS = ("acc_get_", "acc_wait", "acc_async_", "acc_on_device", "acc_init")
_CHOOSING = ("acc_set_device", "acc_shutdown")
"""How the names of run-time routines begin that do nothing to data, and that change which device is meant."""
_LASTING = ("enter data", "exit data", "declare")
_ADRIFT = ("set", "shutdown")
"""The directives behind which another device may be meant."""


class Function(Struct, frozen=True, dict=True):
    """A function with directives: its node, and what happens in it, in the order of its text."""

    node: c_ast.FuncDef
    events: tuple[Event, ...]

    @cached_property
    def declared(self) -> frozenset[str]:
        """The variables that it declares, its parameters left out."""
        return _declared(self.node.body)

    @cached_property
    def data(self) -> tuple[DataConstruct, ...]:
        """Its data directives."""
        return tuple(event.what for event in self.events if isinstance(event.what, DataConstruct))


class Lifetimes(Struct, dict=True):
    """Finds the lifetimes in the functions of a file, whose constructs ``built`` knows by their pragmas' addresses.

    ``hosts`` are the functions with directives.
    """

    tree: Any
    regions: Sequence[Region]
    data: Sequence[DataConstruct]
    built: Mapping[int, int | DataConstruct]
    hosts: Collection[str]
    presence: Presence
    library: frozenset[str]

    def __post_init__(self) -> None:
        self.nodes = {node.decl.name: node for node in self.tree.ext if isinstance(node, c_ast.FuncDef)}
        self.runtime = frozenset(name for name in self.library if not name.startswith(RUNTIME))
        self.escapes = Escapes(self.nodes, self.runtime, _returning(self.tree), _scalars(self.tree))
        self.functions = [Function(self.nodes[name], events_of(self.nodes[name], self.built)) for name in self.hosts]

    def found(self) -> Iterator[Lifetime]:
        """All lifetimes, those of a function in the order of its text."""
        for function in self.functions:
            for position, event in enumerate(function.events):
                clauses = self._clauses(event.what) if self._is_certain(event.what) else ()
                for clause in clauses:
                    if clause.action in STARTING and _is_plain(clause, clauses):
                        yield from self._of(function, position, clause)

    @cached_property
    def called(self) -> frozenset[str]:
        """All functions that the file calls."""
        return frozenset(callee for node in self.nodes.values() for callee in called_functions(node.body))

    def _of(self, function: Function, position: int, clause: DataClause) -> Iterator[Lifetime]:
        """The lifetime of a clause, if the variable is on no device before."""
        if self.is_adrift:
            return
        event, name = function.events[position], user_name(clause.subarray.variable)
        around = [item for item in function.events[:position] if item.end > position]
        is_lasting = isinstance(event.what, DataConstruct) and event.what.kind == "enter data"
        before = function.events[:position] if is_lasting else around
        if any(name in self._named(item.what) for item in before) or self._is_zeroed(function, name):
            return
        is_local = name in function.declared
        others = [item for item in (function.data if is_local else self.data) if item.kind in _LASTING]
        if any(item is not event.what and item.kind != "exit data" and name in self._named(item) for item in others):
            return
        is_apart = self._origin(function, clause, bool(around)) if not (is_lasting and not is_local) else None
        if is_apart is not None:
            end = len(function.events) if is_lasting else event.end
            visits = _Visits(self, function, position, end, name, is_local)
            yield Lifetime(clause, tuple(visits.found()), is_apart)

    def _is_certain(self, what: object) -> bool:
        """Whether a construct maps data whatever happens."""
        if isinstance(what, int):
            return self.regions[what].execution.condition is None
        return isinstance(what, DataConstruct) and what.kind in ("data", "enter data") and what.condition is None

    def _clauses(self, what: object) -> Sequence[DataClause]:
        if isinstance(what, int):
            return (*self.regions[what].data, *self.regions[what].attached)
        return what.data if isinstance(what, DataConstruct) else ()

    def _named(self, what: object) -> frozenset[str]:
        """The variables that a construct's clauses name, as they are spelled."""
        return frozenset(user_name(clause.subarray.variable) for clause in self._clauses(what))

    def _is_zeroed(self, function: Function, name: str) -> bool:
        """Whether some clause of a function asks for zeros in a variable's copy, which may be there already."""
        clauses = (clause for event in function.events for clause in self._clauses(event.what))
        return any("zero" in item.modifiers and user_name(item.subarray.variable) == name for item in clauses)

    def fills(self, what: object, name: str, is_local: bool) -> bool:
        """Whether something other than a compute construct may fill a variable's copy, or end it."""
        if isinstance(what, DataConstruct):
            is_named = any(user_name(item.subarray.variable) == name for item in what.data if item.action in _FILLING)
            return is_named or (what.kind in _LASTING and name in self._named(what))
        if not isinstance(what, str) or what.startswith(_HARMLESS):
            return False
        is_known = what in self.nodes or not is_local  # an address that stays here is known to no other file
        return is_known and not self.is_quiet(what)

    def is_quiet(self, callee: str) -> bool:
        """Whether a called function does nothing to a device."""
        if callee in self.nodes:
            return self.escapes.is_quiet(callee)
        return callee in self.runtime or callee.startswith(NOT_OURS)

    def _origin(self, function: Function, clause: DataClause, is_inside: bool) -> bool | None:
        """Whether a variable that is on no device before is reached by its name alone; None if it may be there."""
        name, depth = user_name(clause.subarray.variable), depth_of(clause.subarray.base.type)
        node = function.node
        if not declared_once(node, name) or not self.escapes.stays(node.body, name, depth):
            return None
        if name in function.declared:
            return True
        if name not in _parameters(node):
            return self._of_file(function, name, depth)
        plain = resolve(clause.subarray.base.type)
        is_apart = isinstance(plain, Pointer) and plain.restrict
        is_known = self.is_closed and node.decl.name not in self.under_data and (is_apart or not is_inside)
        return is_apart if is_known else None

    def _of_file(self, function: Function, name: str, depth: int) -> bool | None:
        """Whether a variable of the file is on no device where a function begins: only this one puts it there."""
        others = [item for item in self.functions if item is not function]
        is_named = any(name in self._named(event.what) for item in others for event in item.events)
        is_hidden = any(name in _declared(item.body) | _parameters(item) for item in self.nodes.values())
        is_visible = name in self.presence.external and self.presence.is_open
        stays = all(self.escapes.stays(node, name, depth) for node in self.tree.ext)
        return True if stays and not (is_named or is_hidden or is_visible) else None

    @cached_property
    def is_adrift(self) -> bool:
        """Whether the file chooses a device: it may be the host, whose memory it shares."""
        chooses = any(callee.startswith(_CHOOSING) for callee in self.called)
        return chooses or any(item.kind in _ADRIFT for item in self.data)

    @cached_property
    def is_closed(self) -> bool:
        """Whether all directives that may map a variable of the program stand in structured blocks of this file."""
        if self.presence.is_open or any(item.kind in _LASTING for item in self.data):
            return False
        maps = any(callee.startswith(RUNTIME) and not callee.startswith(_HARMLESS) for callee in self.called)
        return not maps and not any(_is_handed(node, self.nodes) for node in self.tree.ext)

    @cached_property
    def under_data(self) -> frozenset[str]:
        """The functions that may run while data constructs of others are open."""
        pending = {
            inner.what
            for function in self.functions
            for number, event in enumerate(function.events)
            if isinstance(event.what, DataConstruct)
            for inner in function.events[number + 1 : event.end]
            if isinstance(inner.what, str)
        }
        found: set[str] = set()
        while pending:
            found |= pending
            bodies = [self.nodes[name].body for name in pending if name in self.nodes]
            pending = {callee for body in bodies for callee in called_functions(body)} - found
        return frozenset(found)


class _Visits(Struct, frozen=True):
    """Goes through what happens in a function while a copy lasts: from an event on to the one at ``end``."""

    lifetimes: Lifetimes
    function: Function
    start: int
    end: int
    name: str
    is_local: bool

    def found(self) -> Iterator[Visit]:
        """The compute constructs, up to what may fill the copy."""
        events, origin = self.function.events, self.function.events[self.start]
        if isinstance(origin.what, int):
            yield Visit(origin.what)
            return
        depth = len(origin.around)
        for position in range(self.start + 1, self.end):
            event = events[position]
            if event.around[:depth] != origin.around or self._fills(event):
                return
            if isinstance(event.what, int):
                yield self._visit(position, event.what)

    def _fills(self, event: Event) -> bool:
        return self.lifetimes.fills(event.what, self.name, self.is_local)

    def _visit(self, position: int, construct: int) -> Visit:
        """What may run before a construct though it stands behind it: all in the outermost loop around."""
        events, origin = self.function.events, self.function.events[self.start]
        event = events[position]
        is_block = self.end == origin.end
        inner = event.around[len(origin.around) :]
        loops = [node for node in (inner if is_block else event.around) if isinstance(node, LOOPS)]
        if not loops:
            return Visit(construct)
        within = [(number, item) for number, item in enumerate(events) if loops[0] in item.around]
        later = [item for number, item in within if number >= position or number < self.start]
        calls = [item.what for _, item in within if isinstance(item.what, str)]
        is_alone = len(loops) == 1 and all(isinstance(node, LOOPS) for node in inner)
        return Visit(
            construct,
            tuple(item.what for item in later if isinstance(item.what, int)),
            any(map(self._fills, later)),
            is_alone and all(name in self.lifetimes.runtime for name in calls),
            changed_in(loops[0]),
        )


def _is_plain(clause: DataClause, clauses: Sequence[DataClause]) -> bool:
    """Whether a clause alone names a variable, and leaves the copy of its array without a value."""
    subarray = clause.subarray
    is_alone = sum(other.subarray.variable == subarray.variable for other in clauses) == 1
    is_array = isinstance(subarray.base, Variable) and depth_of(subarray.base.type) > 0
    return is_alone and is_array


def depth_of(ctype: CType) -> int:
    """How many subscripts lead from an array, or a pointer to one, to a value; 0 where addresses may lie in it."""
    depth, plain = 0, resolve(ctype)
    while isinstance(plain, (Array, Pointer)):
        if depth and isinstance(plain, Pointer):
            return 0
        element = element_type(plain)
        plain, depth = (resolve(element) if element is not None else plain), depth + 1
        if element is None:
            return 0
    members = [resolve(item.type) for item in plain.members] if isinstance(plain, Record) else [plain]
    return depth if members and all(is_number(item) or isinstance(item, Complex) for item in members) else 0


def _declared(node: Any) -> frozenset[str]:
    """The variables that are declared below a node."""
    inner = frozenset[str]().union(*(_declared(child) for _, child in node.children()))
    return inner | {node.name} if isinstance(node, c_ast.Decl) and node.name else inner


def _parameters(function: c_ast.FuncDef) -> frozenset[str]:
    """The parameters of a function."""
    listed = function.decl.type.args
    return _declared(listed) if listed is not None else frozenset()


def _is_handed(node: Any, functions: Collection[str]) -> bool:
    """Whether code uses a function as a value: anyone may call it at any time."""
    if isinstance(node, c_ast.ID):
        return node.name in functions
    parts = [child for name, child in node.children() if not (isinstance(node, c_ast.FuncCall) and name == "name")]
    return any(_is_handed(part, functions) for part in parts)


def _returning(tree: Any) -> frozenset[str]:
    """The functions of a file, declared or defined in it, that return addresses."""
    declared = [node.decl if isinstance(node, c_ast.FuncDef) else node for node in tree.ext]
    functions = [node for node in declared if isinstance(getattr(node, "type", None), c_ast.FuncDecl)]
    return frozenset(node.name for node in functions if isinstance(node.type.type, c_ast.PtrDecl))


def _scalars(tree: Any) -> frozenset[str]:
    """The names of a file's types that are numbers."""
    found = set(NUMBERS)
    for node in tree.ext:
        declarator = node.type if isinstance(node, c_ast.Typedef) else None
        specifiers = declarator.type if isinstance(declarator, c_ast.TypeDecl) else None
        is_known = isinstance(specifiers, c_ast.IdentifierType) and found.issuperset(specifiers.names)
        if is_known or isinstance(specifiers, c_ast.Enum):
            found.add(node.name)
    return frozenset(found)
