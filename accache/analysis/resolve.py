"""Resolve calls: each gets the routine that it calls.

Before: calls by the functions' names, routines with the levels their directives give. After: each call carries
what its routine is called on the device, its level, and which memory it reads and writes; each routine has a level.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct, field
from msgspec.structs import replace

from accache.analysis.calls import points, prints, uses_heap
from accache.analysis.effects import effects_of, resident_effects
from accache.base.diagnostics import Reporter
from accache.ir.builtins import HEAP_CALLS, PRINT
from accache.ir.openacc.regions import GANGS, LoopSpec, Program
from accache.ir.openacc.routines import LEVELS, Routine, device_suffix
from accache.ir.tree import Call, Callee, Expr, For, Level, Stmt
from accache.ir.types import Arithmetic, Pointer, Void
from accache.ir.walk import nodes_of, rewrite

_BYTES, _SOURCE = Pointer(Void()), Pointer(Void(const=True))
_SIZE = Arithmetic("long", unsigned=True)
_OF_THE_LIBRARY = {
    "memcpy": Callee("memcpy", "seq", (_BYTES, _SOURCE, _SIZE), (False, True, False), (True, False, False)),
    "memset": Callee("memset", "seq", (_BYTES, Arithmetic("int"), _SIZE), (False,) * 3, (True, False, False)),
}
"""Functions of the C library that CUDA has, too, and that use memory as routines do."""


def resolve_calls(program: Program, reporter: Reporter) -> Program:
    """The program with all its calls resolved; reports levels that do not go together."""
    resolver = _Resolver(dict(program.bound), _has_residents(program), reporter)
    resolver.known.update(_OF_THE_LIBRARY)
    resolver.known.update(_assumed(program))
    routines = tuple(resolver.routine(item) for item in program.routines)
    regions = tuple(replace(region, body=resolver.body(region.body)) for region in program.regions)
    return replace(program, routines=routines, regions=regions)


def _assumed(program: Program) -> dict[str, Callee]:
    """What the calls of recursive routines are taken to do that stand before these: all that they could."""
    bodies = [item.body for item in program.routines if item.body is not None]
    functions = {node.function for body in bodies for node in _calls(body)}
    outside = any(item.body is None for item in program.routines)
    resides = any(item.residents for item in program.routines) or (outside and _has_residents(program))
    allocates, acts = outside or bool(functions & HEAP_CALLS), outside or resides or PRINT in functions
    found = {}
    for routine in program.routines:
        if routine.recursive:
            types = tuple(item.type for item in routine.parameters)
            everything = (True,) * len(types)
            symbol = _symbol(routine, routine.level or "seq")
            callee = Callee(symbol, "seq", types, everything, everything, allocates=allocates, acts=acts)
            found[routine.name] = replace(callee, uses_residents=resides, changes_residents=resides)
    return found


def _has_residents(program: Program) -> bool:
    """Whether routines of other files may use variables that this one has: a declare directive of the file says so."""
    return any(construct.kind == "declare" and construct.is_global for construct in program.data)


def _symbol(routine: Routine, level: str) -> str:
    """The name of the device version of a routine whose level has been found."""
    if routine.level or routine.static:
        return routine.symbol
    return routine.symbol.removesuffix(device_suffix("")) + device_suffix(level)


class _Resolver(Struct, dict=True):
    """Resolves routines in the order of the program, callees first."""

    bound: dict[str, str]
    has_residents: bool
    reporter: Reporter
    known: dict[str, Callee] = field(default_factory=dict)

    def routine(self, routine: Routine) -> Routine:
        """A routine with its level found and its calls resolved."""
        types = tuple(item.type for item in routine.parameters)
        if routine.body is None:
            everything = (True,) * len(types)
            level = routine.level or "seq"
            self.known[routine.name] = Callee(
                routine.symbol,
                level,
                types,
                reads=everything,
                writes=everything,
                has_gang_loops=level == "gang",
                allocates=points(routine.result),
                acts=True,
                uses_residents=self.has_residents,
                changes_residents=self.has_residents,
            )
            return replace(routine, level=level)
        body = self.body(routine.body)
        level = routine.level or self.inferred(routine, body)
        self.check(routine, level, body)
        if routine.recursive and level != "seq":
            self.reporter.report("ACC341", routine.location, name=routine.name, level=level)
        reads, writes = effects_of(body, routine.parameters)
        symbol = _symbol(routine, level)
        own = level == "gang" and any(_may_be_gang(spec) for spec in _loops(body))
        allocates = any(uses_heap(call) for call in _calls(body))
        spread = own or any(call.callee.has_gang_loops for call in _calls(body) if call.callee)
        has_gang_loops = spread and not allocates  # what a gang takes from the heap is its own
        uses, changes = resident_effects(routine)
        called = [call.callee for call in _calls(body) if call.callee is not None]
        uses = uses or any(callee.uses_residents for callee in called)
        changes = changes or any(callee.changes_residents for callee in called)
        acts = changes or any(prints(call) for call in _calls(body))
        self.known[routine.name] = Callee(
            symbol,
            level,
            types,
            reads,
            writes=writes,
            has_gang_loops=has_gang_loops,
            allocates=allocates,
            acts=acts,
            uses_residents=uses,
            changes_residents=changes,
        )
        return replace(routine, symbol=symbol, level=level, body=body)

    def body(self, body: Stmt) -> Stmt:
        """A statement with its calls resolved."""

        def change(node: Expr | Stmt) -> Expr | Stmt:
            if not isinstance(node, Call):
                return node
            callee = self.known.get(self.bound.get(node.function, node.function))
            return node if callee is None else replace(node, callee=callee)

        return rewrite(body, change)

    def inferred(self, routine: Routine, body: Stmt) -> Level:
        """The level of a routine whose directive, if any, gives none: that of its loops and calls."""
        called = (call.callee.level for call in _calls(body) if call.callee)
        wanted: list[Level] = ["seq", *map(_level, _loops(body)), *called]
        level = max(wanted, key=LEVELS.index)
        if level != "seq":
            self.reporter.report("ACC347", routine.location, name=routine.name, level=level)
        return level

    def check(self, routine: Routine, level: str, body: Stmt) -> None:
        """Report loops and calls of a higher level than the routine's."""
        for spec in _loops(body):
            if LEVELS.index(_level(spec)) > LEVELS.index(level):
                self.reporter.report("ACC346", spec.location, loop=_level(spec), level=level)
        for call in _calls(body):
            if call.callee is not None and LEVELS.index(call.callee.level) > LEVELS.index(level):
                self.reporter.report(
                    "ACC345",
                    call.location,
                    name=call.function,
                    level=call.callee.level,
                    where=f"in a {level} routine",
                )


def _loops(body: Stmt) -> Iterator[LoopSpec]:
    return (node.loop for node in nodes_of(body, For) if node.loop is not None)


def _calls(body: Stmt) -> Iterable[Call]:
    return nodes_of(body, Call)


def _level(spec: LoopSpec) -> Level:
    """The highest level a loop directive names."""
    if spec.levels & set(GANGS):
        return "gang"
    return next((level for level in reversed(LEVELS) if level in spec.levels), "seq")


def _may_be_gang(spec: LoopSpec) -> bool:
    """Whether a loop of a gang routine may be spread over gangs: it says so, or leaves the level open."""
    return _level(spec) == "gang" or not (spec.seq or spec.levels)
