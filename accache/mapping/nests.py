"""Nests of loops that may be parallel, and the levels of parallelism they take (OpenACC 3.3, section 2.9)."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.calls import collective_calls, is_collective
from accache.analysis.canonical import canonical_loop, loop_variable
from accache.analysis.loop_context import EVERYWHERE
from accache.analysis.member_variables import MemberVariables
from accache.base.diagnostics import Reporter
from accache.ir.kernels.simt import CanonicalLoop, ParallelFor
from accache.ir.names import user_name
from accache.ir.openacc.regions import GANGS, LoopSpec, Region
from accache.ir.openacc.routines import LEVELS
from accache.ir.tree import Cache, Call, Expr, For, Stmt
from accache.ir.walk import children, nodes_of, single_definitions, used_variables, walk
from accache.mapping.data.data_model import memory_variables
from accache.mapping.loops.collapse import effect_between, only_statement, sunk
from accache.mapping.parallelism import sequential_reason

MAX_AXES = 3
ALL_LEVELS = frozenset((*GANGS, "worker", "vector"))
_COUNTED = (
    "write for (int i = first; i < limit; i += step) with integers and a constant step, and change neither i nor limit "
    "in its body; or write seq"
)
_DEPENDS = (
    "its bounds depend on an outer loop",
    "leave it out of collapse; or let it run to the largest limit, with an if in its body",
)


CallPlace: TypeAlias = Literal["", "in a loop over gangs", "in a loop over threads"]
"""Where a call of a routine stands, as ACC345 says it."""


class Spread(Struct, frozen=True):
    """What the loops of one nest are spread over: its levels, and whether a loop inside it names vectors."""

    levels: frozenset[str]
    has_vectors_inside: bool

    @property
    def dimension(self) -> str:
        """The dimension of gangs; '' for none."""
        return next((level for level in GANGS if level in self.levels), "")

    @property
    def on_grid(self) -> bool:
        """Whether gangs have shares of it."""
        return bool(self.dimension)

    @property
    def on_block(self) -> bool:
        """Whether all threads of a block have shares of it."""
        return "vector" in self.levels or ("worker" in self.levels and not self.has_vectors_inside)

    @property
    def only_worker(self) -> bool:
        """Whether workers have shares of it, each of which has vectors for the loops inside."""
        return "worker" in self.levels and not self.on_block

    def rest(self, available: frozenset[str]) -> frozenset[str]:
        """The levels that are left for loops inside."""
        rest = available - self.levels - (ALL_LEVELS if self.on_block else frozenset())
        return rest if self.on_block or self.on_grid else rest - set(GANGS)


class Nests(Struct, frozen=True):
    """Finds the nests of parallel loops of a compute region; reports loops that must run sequentially."""

    region: Region
    reporter: Reporter

    def spec(self, loop: For, available: frozenset[str]) -> LoopSpec | None:
        """The loop directive to obey; in a kernels region every loop may be parallel."""
        spec = loop.loop
        if spec is None:
            if self.region.kind != "kernels" or not available:
                return None
            spec = LoopSpec(loop.location, auto=True)
            if isinstance(canonical_loop(loop), str):
                return None
        if spec.seq or self.region.kind == "serial":
            return None
        canonical = canonical_loop(loop)
        if isinstance(canonical, str):
            name = loop_variable(loop)
            if name is not None and self.region.is_unproved(spec):
                self.reporter.report("ACC307", loop.location, variable=user_name(name), reason=canonical)
            else:
                self.reporter.report("ACC306", loop.location, reason=canonical, hint=_COUNTED)
            return None
        between = effect_between(loop, spec.collapse, memory_variables(self.region)) if spec.forced else None
        if between is not None:
            self.reporter.report("ACC315", between.location, count=spec.collapse)
            spec = replace(spec, collapse=1, forced=False)
        if not self.region.is_unproved(spec):
            return spec
        proved = self._proved(loop, spec)
        if 0 < proved < spec.collapse:
            return replace(spec, collapse=proved, tile=(), forced=spec.forced and proved > 1)
        return spec if proved else None

    def _proved(self, loop: For, spec: LoopSpec) -> int:
        """How many of a directive's loops, from the outermost in, are proved independent; reports what ends them.

        Loops that are not nested as the directive says count as proved: ``chain`` refuses them.
        """
        place = EVERYWHERE
        current: Stmt = loop
        for depth in range(spec.collapse):
            canonical = canonical_loop(current) if isinstance(current, For) else ""
            if not isinstance(current, For) or isinstance(canonical, str):
                break
            reason = sequential_reason(current, canonical, spec, self.region, around=place)
            if reason:
                self.reporter.report("ACC307", current.location, variable=user_name(canonical.variable), reason=reason)
                return depth
            nest = sunk(current, spec.collapse - depth) if spec.forced else current
            known = MemberVariables.of(self.region).loop(current)
            place = place.inside(known, single_definitions(known.body))
            current = only_statement(nest.body)
        return spec.collapse

    def chain(
        self, loop: For, spec: LoopSpec, available: frozenset[str]
    ) -> tuple[list[tuple[CanonicalLoop, LoopSpec]], Stmt]:
        """The parallel loops perfectly nested from here, and the body inside them."""
        chain: list[tuple[CanonicalLoop, LoopSpec]] = []
        outer: set[str] = set()
        current: Stmt = loop
        wanted = spec.collapse
        while isinstance(current, For) and len(chain) < MAX_AXES:
            inner = spec if len(chain) < wanted else self._inner_spec(current, chain[0][1], available)
            canonical = canonical_loop(current)
            depends = isinstance(canonical, CanonicalLoop) and bool(
                outer & (used_variables(canonical.first) | used_variables(canonical.limit))
            )
            if inner is None or isinstance(canonical, str) or depends:
                if len(chain) < wanted:
                    reason, hint = (canonical, _COUNTED) if isinstance(canonical, str) else _DEPENDS
                    self.reporter.report("ACC306", current.location, reason=reason, hint=hint)
                    return chain, current
                break
            chain.append((canonical, inner))
            outer.add(canonical.variable)
            current = only_statement(current.body)
        body = current
        if len(chain) < wanted:
            word = "tile" if spec.tile else "collapse"
            clause = f"tile with {wanted} sizes" if spec.tile else f"collapse({wanted})"
            self.reporter.report("ACC308", spec.location, clause=clause, word=word, count=wanted)
        return chain, body

    def levels(
        self, chain: list[tuple[CanonicalLoop, LoopSpec]], body: Stmt, available: frozenset[str]
    ) -> frozenset[str]:
        """The levels the chain is spread over, of those still free."""
        wanted = chain[0][1].levels
        if wanted - available:
            missing = ", ".join(sorted(wanted - available))
            if self.region.kind == "kernels":
                self.reporter.report("ACC309", chain[0][1].location, levels=missing)
            else:
                left = " and ".join(level for level in LEVELS if level in available) or "no level"
                self.reporter.report("ACC223", chain[0][1].location, levels=missing, left=left)
        calls = {call.callee.level: call for call in collective_calls(body) if call.callee is not None}
        called = max(calls, key=LEVELS.index, default=None)
        if called == "vector" and "worker" in wanted:
            self.reporter.report("ACC351", chain[0][1].location, name=calls[called].function)
            wanted -= {"worker"}
            return wanted & available
        if wanted:
            return wanted & available
        if called is not None:
            return available & {"gang"} if called != "gang" else frozenset()
        inner = any(self._may_spread(node) for node in nodes_of(body, For))
        if "gang" in available:
            return frozenset(("gang",)) if inner else available & frozenset(("gang", "vector"))
        if inner and "worker" in available:
            return frozenset(("worker",))
        is_left = not any(names_level(node, "vector") for node in nodes_of(body, For))  # else it is for a loop inside
        return frozenset(("vector",)) if "vector" in available and is_left else frozenset()

    def _inner_spec(self, loop: For, outermost: LoopSpec, available: frozenset[str]) -> LoopSpec | None:
        """The directive of a loop nested in the chain if both can be spread in the same way."""
        spec = self.spec(loop, available)
        if spec is None or spec.collapse > 1 or spec.levels != outermost.levels or spec.reductions:
            return None
        return spec

    def _may_spread(self, loop: For) -> bool:
        """Whether a loop inside another one will be parallel; nothing is reported."""
        if not is_parallel(loop, self.region):
            return False
        spec = loop.loop or LoopSpec(loop.location, auto=True)
        canonical = canonical_loop(loop)
        if isinstance(canonical, str):
            return False
        return not self.region.is_unproved(spec) or not sequential_reason(loop, canonical, spec, self.region)


def is_parallel(stmt: Stmt, region: Region) -> bool:
    """Whether a statement is a loop that may be spread."""
    if isinstance(stmt, Cache):
        return False
    if not isinstance(stmt, For) or region.kind == "serial":
        return False
    if stmt.loop is None:
        return region.kind == "kernels" and not isinstance(canonical_loop(stmt), str)
    return not stmt.loop.seq


def is_each_threads_own(body: Stmt) -> bool:
    """Whether threads do nothing together in a statement."""
    has_cache = any(nodes_of(body, Cache))
    return not has_cache and not any(True for _ in collective_calls(body))


def names_level(loop: For, level: str) -> bool:
    """Whether a loop's directive names a level."""
    return loop.loop is not None and level in loop.loop.levels


def is_counted_by_routines(nest: Stmt) -> bool:
    """Whether routines, which only kernels call, compute how many iterations a loop of a nest has."""
    bounds: list[Expr] = []
    while isinstance(nest, For):
        loop = canonical_loop(nest)
        bounds += [] if isinstance(loop, str) else [loop.first, loop.limit]
        nest = only_statement(nest.body)
    return any(isinstance(node, Call) and node.callee is not None for bound in bounds for node in walk(bound))


def names_gang_dimensions(body: Stmt) -> bool:
    """Whether a loop in a statement names another dimension of gangs than the first."""
    specs = [node.loop for node in nodes_of(body, For) if node.loop is not None]
    return any(spec.levels & set(GANGS[1:]) for spec in specs)


def refuse_calls_in_loops(stmt: Stmt | Expr, reporter: Reporter, where: CallPlace = "") -> None:
    """Report calls in mapped loops that use what the routine needs for its own loops (ACC345)."""
    if isinstance(stmt, ParallelFor):
        where = "in a loop over threads" if stmt.block else where or ("in a loop over gangs" if stmt.grid else "")
    if isinstance(stmt, Call) and is_collective(stmt) and where:
        assert stmt.callee is not None
        level = stmt.callee.level
        if level == "gang" or where != "in a loop over gangs":
            reporter.report("ACC345", stmt.location, name=stmt.function, level=level, where=where)
    for child in children(stmt):
        refuse_calls_in_loops(child, reporter, where)
