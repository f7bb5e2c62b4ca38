"""A mapped and cached kernel to SIMT form.

Before: ParallelFor and CacheRegion nodes. After: each thread's indices as declarations, its own
work under a predicate, fetches and write-backs all threads take part in, and barriers between
them. No thread leaves early, so every barrier is met by the whole block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from accache.analysis.canonical import constant
from accache.analysis.uniformity import barrier_obstacle, leaving_jumps, varying_names
from accache.analysis.walk import (
    assigned_variables,
    declared_variables,
    rewrite,
    single_definitions,
    used_variables,
    walk,
)
from accache.diagnostics import Reporter
from accache.ir.regions import Reduction
from accache.ir.simt import (
    BlockReduce,
    CacheRegion,
    Fetch,
    ParallelFor,
    SharedArray,
    StorePartial,
    Tile,
    WriteBack,
)
from accache.ir.tree import Assign, Binary, Block, Declare, Empty, Evaluate, Expr, For, If, Jump, Stmt, Variable, While
from accache.ir.types import Array, CType, resolve
from accache.planning.accesses import NOTHING, Accesses, accesses_of
from accache.planning.aliasing import may_overlap
from accache.planning.barriers import Memory, Step, place_barriers, refuse_divergent_barriers
from accache.planning.caching import CachedKernel
from accache.planning.datamodel import memory_scalars
from accache.planning.groups import assemble
from accache.planning.indices import (
    BOOL,
    IndexNames,
    block_first,
    both,
    formula,
    in_range,
    number,
    own_index,
    stride_loop,
    thread,
    width_declaration,
)
from accache.planning.lowered import LoweredKernel
from accache.planning.motion import gather_work
from accache.planning.padding import padding
from accache.planning.privacy import refuse_shared_temporaries
from accache.planning.structure import block_of, items_of, parts_of, with_parts
from accache.planning.tilecode import start_steps, without_unused

NEEDS_IDENTITY = {"+": 0, "*": 1, "^": 0}


@dataclass(frozen=True)
class Context:
    """Where lowering stands: the block axes spread over so far, what guards a thread's own work, who owns it."""

    spread: frozenset[str] = frozenset()
    guards: tuple[Expr, ...] = ()
    owner: str = ""


def lower(cached: CachedKernel, taken: frozenset[str], width: str, scope: str, reporter: Reporter) -> LoweredKernel:
    """Lower one kernel; ``width`` and ``scope`` are the user's choices for sections 4.2.2 and 4.2.3."""
    refuse_shared_temporaries(cached.body, memory_scalars(cached.kernel.region), reporter)
    names = IndexNames(set(taken))
    for tile in cached.tiles:
        for role in ("dirty", "tags"):
            names.printed[f"{tile.name}@{role}"] = names.fresh(f"{tile.array.partition('#')[0]}_{role}")
    lowering = _Lowering(cached, reporter, names, width, scope)
    steps = [*lowering.private_declarations(cached.kernel.region.private), *lowering.statement(cached.body, Context())]
    steps += lowering.final_partials()
    placed = place_barriers(tuple(steps), lowering.memory_model())
    refuse_divergent_barriers(placed, reporter)
    body = without_unused(assemble(placed), cached.tiles, lowering.names)
    for tile in cached.tiles:
        for role in ("begin", "end"):
            lowering.names.of(f"{tile.array}@{role}")
    shared = tuple(lowering.shared.values())
    names.printed["@pool"] = names.fresh("shared")
    starts = {start for tile in cached.tiles for start in tile.starts}
    generated = frozenset((names.taken - taken) | starts)
    location = cached.body.location
    return LoweredKernel(cached, Block(location, tuple(body)), shared, names.printed, lowering.partials, generated)


@dataclass
class _Lowering:
    """Lowers one kernel's statements to steps."""

    cached: CachedKernel
    reporter: Reporter
    names: IndexNames
    width: str
    scope: str
    shared: dict[str, SharedArray] = field(default_factory=dict)
    partials: tuple[Reduction, ...] = ()
    owners: int = 0

    def __post_init__(self) -> None:
        kernel = self.cached.kernel
        self.axes = frozenset(axis for axis, extent in zip("xyz", kernel.block, strict=True) if extent > 1)
        self.free = {variable.name: variable for variable in kernel.region.variables}
        self.varying = varying_names(self.cached.body)
        self.memory = memory_scalars(kernel.region)
        self.threads = frozenset(
            node.name for node in walk(self.cached.body) if isinstance(node, Declare) and _is_array(node.type)
        )

    def overlap(self, first: str, second: str) -> bool:
        """Whether two names may be one memory; with tiles in play the launch has ruled it out."""
        if first not in self.free or second not in self.free or self.cached.tiles:
            return first == second
        return may_overlap(self.free[first], self.free[second])

    def memory_model(self) -> Memory:
        """What barriers need to know of names."""
        tiles = {tile.name for tile in self.cached.tiles}
        return Memory(self.overlap, frozenset(tiles | set(self.shared)))

    def private_declarations(self, names: Sequence[str]) -> list[Step]:
        """Private copies for the whole block: arrays in shared memory if threads will share them."""
        steps = []
        for name in names:
            if name in self.free:
                declare = Declare(self.cached.kernel.region.location, name, self.free[name].type, None)
                steps += self.declaration(declare, Context())
        return steps

    def statements(self, items: Sequence[Stmt], context: Context) -> list[Step]:
        """The steps of a statement list, fetches moved up and write-backs down where nothing stands between."""
        steps = [step for item in items for step in self.statement(item, context)]
        return gather_work(steps, self.overlap)

    def statement(self, stmt: Stmt, context: Context) -> list[Step]:
        """The steps of one statement."""
        if isinstance(stmt, ParallelFor):
            return self.parallel(stmt, context)
        if isinstance(stmt, CacheRegion):
            return self.region(stmt, context)
        if isinstance(stmt, Declare):
            return self.declaration(stmt, context)
        if isinstance(stmt, Empty):
            return []
        if self.is_collective(stmt):
            return self.collective(stmt, context)
        if context.spread >= self.axes:
            return [self.own(stmt, context)]
        return self.redundant(stmt, context)

    def own(self, stmt: Stmt, context: Context) -> Step:
        """A statement each thread runs for its own iteration."""
        touched = self.touched(stmt)
        plain = rewrite(stmt, self.inline_region)
        return Step(stmt.location, touched, context.owner, plain, guarded=True, guards=context.guards)

    def inline_region(self, node: Expr | Stmt) -> Expr | Stmt:
        """A cache region inside one thread's own work, whose tiles are the thread's own."""
        if not isinstance(node, CacheRegion):
            return node
        return Block(node.location, tuple(assemble(tuple(self.region(node, Context(self.axes))))))

    def touched(self, stmt: Stmt | Expr) -> Accesses:
        """The memory of a statement or expression that other threads can see."""
        return accesses_of(stmt, self.threads - set(self.shared), self.memory)

    def is_collective(self, stmt: Stmt) -> bool:
        """Whether all threads must go through a statement together."""
        return any(
            (isinstance(node, CacheRegion) and any(tile.scope == "block" for tile in node.tiles))
            or (isinstance(node, ParallelFor) and (bool(node.block) or bool(node.grid)))
            for node in walk(stmt)
        )

    def collective(self, stmt: Stmt, context: Context) -> list[Step]:
        """A loop, condition or block that holds something threads do together.

        Where threads may disagree on the way through it, it is each thread's own work as a whole,
        and no barrier may stand in it (checked when barriers are placed).
        """
        if not isinstance(stmt, (Block, For, While, If)):
            raise self.reporter.fail("ACC313", stmt.location)
        disagree = barrier_obstacle((stmt,), self.cached.body, self.varying, bool(context.spread & self.axes))
        inside = replace(context, guards=()) if disagree else context
        parts = parts_of(stmt)
        inner = tuple(tuple(self.statements(items_of(part), inside)) for part in parts)
        touched = self.touched(stmt) if disagree else NOTHING

        def build(bodies: tuple[tuple[Step, ...], ...]) -> Stmt:
            return with_parts(stmt, [block_of(part, body) for part, body in zip(parts, bodies, strict=True)])

        return [
            Step(
                stmt.location,
                touched,
                inner=inner,
                build=build,
                is_loop=isinstance(stmt, (For, While)),
                guarded=bool(disagree),
                guards=context.guards if disagree else (),
                divergent=disagree,
                control=self.control(stmt),
                round_owner=context.owner,
            ),
        ]

    def control(self, stmt: Stmt) -> Accesses:
        """The memory every thread reads to decide the way through a statement."""
        if isinstance(stmt, For):
            parts = [part for part in (stmt.condition, stmt.step) if part is not None]
        else:
            parts = [stmt.condition] if isinstance(stmt, (If, While)) else []
        touched = NOTHING
        for part in parts:
            touched |= self.touched(part)
        return touched

    def declaration(self, stmt: Declare, context: Context) -> list[Step]:
        """A local variable: a gang's array goes to shared memory, the rest is each thread's own."""
        gang_level = self.axes and not context.spread & self.axes
        if not gang_level and not context.spread >= self.axes and _is_array(stmt.type):
            raise self.reporter.fail("ACC316", stmt.location, name=_plain(stmt.name))
        if gang_level and _is_array(stmt.type):
            if stmt.init is not None or _constant_size(stmt.type) is None:
                raise self.reporter.fail("ACC314", stmt.location, name=_plain(stmt.name))
            pad = padding(self.cached.body, stmt.name, stmt.type, single_definitions(self.cached.body))
            self.shared[stmt.name] = SharedArray(stmt.location, stmt.name, stmt.type, pad)
            return []
        return [Step(stmt.location, self.touched(stmt), context.owner, stmt, guarded=True, guards=context.guards)]

    def redundant(self, stmt: Stmt, context: Context) -> list[Step]:
        """A statement between gang and vector loops: one thread's side effects, every thread's private values."""
        touched = self.touched(stmt)
        if not touched.writes:
            return [Step(stmt.location, touched, "", stmt, guarded=True, guards=context.guards)]
        if not assigned_variables(stmt) - declared_variables(stmt) - self.memory:
            leader = [self.leader(axis) for axis in sorted(self.axes - context.spread)]
            guarded = If(stmt.location, both(leader), stmt)
            return [Step(stmt.location, touched, "leader", guarded, guarded=True, guards=context.guards)]
        if isinstance(stmt, (Block, For, While, If)):
            return self.collective(stmt, context)
        raise self.reporter.fail("ACC315", stmt.location)

    def leader(self, axis: str) -> Expr:
        """Whether this is the first thread along an axis."""
        where = self.cached.body.location
        return Binary(BOOL, where, "==", formula(thread(axis), where), number(0, where))

    def region(self, stmt: CacheRegion, context: Context) -> list[Step]:
        """A cache region: starts, fetches, the body, write-backs."""
        steps: list[Step] = []
        used = used_variables(stmt.body)
        for tile in stmt.tiles:
            if tile.is_read or tile.tracking == "mask" or used & set(tile.starts):
                steps += start_steps(tile, self.scope, context.guards, self.axes, self.shared)
        for tile in stmt.tiles:
            if tile.is_read or tile.method == "ehc" or tile.tracking == "mask":
                steps.append(self.transfer(Fetch(stmt.location, tile), tile, context))
            if tile.tracking == "flag":
                flag = self.names.of(f"{tile.name}@dirty")
                steps.append(
                    Step(stmt.location, stmt=Declare(stmt.location, flag, BOOL, number(0, stmt.location)), movable=True)
                )
        steps += [step for item in items_of(stmt.body) for step in self.statement(item, context)]
        for tile in stmt.tiles:
            if tile.policy == "back":
                steps.append(self.transfer(WriteBack(stmt.location, tile), tile, context))
        return steps

    def transfer(self, stmt: Stmt, tile: Tile, context: Context) -> Step:
        """A fetch or write-back: all threads together for a block's tile, each its own otherwise."""
        together = tile.scope == "block" and not (isinstance(stmt, WriteBack) and tile.tracking in ("owner", "flag"))
        touched = self.touched(stmt)
        if together:
            return Step(stmt.location, touched, "", stmt)
        return Step(stmt.location, touched, context.owner, stmt, guarded=True, guards=context.guards)

    def parallel(self, stmt: ParallelFor, context: Context) -> list[Step]:
        """A parallel loop and those of the same kind perfectly nested in it."""
        chain = [stmt]
        while isinstance(chain[-1].body, ParallelFor) and _same_kind(chain[-1], chain[-1].body):
            chain.append(chain[-1].body)
        self.owners += 1
        axes = frozenset(loop.block for loop in chain if loop.block)
        inside = replace(context, spread=context.spread | axes, owner=f"loop {self.owners}")
        reductions = tuple(item for loop in chain for item in loop.reductions)
        collective = self.is_collective(chain[-1].body)
        if stmt.covered and not _has_continue(chain[-1].body):
            steps = self.covered(chain, inside)
        elif collective:
            steps = self.chunked(chain, inside)
        else:
            steps = [self.strided(chain, context, inside)]
        return self.reduced(steps, reductions, chain, context)

    def covered(self, chain: list[ParallelFor], inside: Context) -> list[Step]:
        """One iteration a thread (or block): declare the indices and guard the threads past the end."""
        steps: list[Step] = []
        conditions: list[Expr] = []
        for loop in chain:
            steps += self.index_steps(loop)
            if loop.block and not self.exact(loop):
                conditions.append(in_range(loop, self.tiled(loop.loop.variable)))
        return steps + self.guarded_body(chain, conditions, inside)

    def index_steps(self, loop: ParallelFor) -> list[Step]:
        """Declarations of the block's first index (if a tile needs it) and the thread's own."""
        tiled = self.tiled(loop.loop.variable)
        first = block_first(loop, self.names, needed=tiled)
        declares = [*first, own_index(loop, self.names, from_first=tiled)]
        return [Step(loop.location, stmt=declare) for declare in declares]

    def guarded_body(self, chain: list[ParallelFor], conditions: list[Expr], inside: Context) -> list[Step]:
        """The body under the loop's own condition, with the sharing widths its tiles need."""
        loop = chain[-1]
        steps: list[Step] = []
        guards = (*inside.guards, *conditions)
        if self.is_collective(loop.body) and len(guards) > 0 and conditions:
            name = self.names.fresh("active")
            where = loop.location
            declare = Declare(where, name, replace(BOOL, const=True), both(list(guards)))
            steps.append(Step(where, stmt=declare))
            guards = (Variable(BOOL, where, name),)
        for item in chain:
            if self.tiled(item.loop.variable):
                steps += width_declaration(item, self.names, self.width_of(item), guards, self.axes)
        private = self.privates(chain)
        body = self.statements([*private, *items_of(loop.body)], replace(inside, guards=guards))
        if not self.is_collective(loop.body) and guards != inside.guards:
            where = loop.location
            block = Block(where, tuple(assemble(tuple(replace(step, guards=()) for step in body))))
            accesses = self.touched(block)
            body = [Step(where, accesses, inside.owner, block, guarded=True, guards=guards)]
        return steps + body

    def privates(self, chain: list[ParallelFor]) -> list[Stmt]:
        """Declarations of the loops' private variables."""
        return [
            Declare(loop.location, name, self.free[name].type, None)
            for loop in chain
            for name in loop.private
            if name in self.free
        ]

    def chunked(self, chain: list[ParallelFor], inside: Context) -> list[Step]:
        """Blocks stride over chunks of iterations, all threads together: barriers in the body stay legal."""
        loop, rest = chain[0], chain[1:]
        steps: list[Step] = []
        conditions = []
        if loop.block:
            steps.append(Step(loop.location, stmt=own_index(loop, self.names, from_first=True)))
            if not self.exact(loop):
                conditions.append(in_range(loop, True))
        if rest:
            where = loop.location
            guards = inside.guards
            if conditions:
                name = self.names.fresh("active")
                steps.append(
                    Step(where, stmt=Declare(where, name, replace(BOOL, const=True), both([*guards, *conditions])))
                )
                guards = (Variable(BOOL, where, name),)
            if self.tiled(loop.loop.variable):
                steps += width_declaration(loop, self.names, self.width_of(loop), guards, self.axes)
            steps += self.chunked(rest, replace(inside, guards=guards))
        else:
            steps += self.guarded_body([loop], conditions, inside)
        bounds = self.touched(loop.loop.first) | self.touched(loop.loop.limit)

        def build(bodies: tuple[tuple[Step, ...], ...]) -> Stmt:
            return stride_loop(loop, self.names, block_of(loop, bodies[0]), bool(loop.block))

        return [
            Step(
                loop.location,
                inner=(tuple(steps),),
                build=build,
                is_loop=True,
                control=bounds,
                round_owner=inside.owner,
            )
        ]

    def strided(self, chain: list[ParallelFor], context: Context, inside: Context) -> Step:
        """Every thread strides over its own iterations."""
        private = self.privates(chain)
        inner = self.statements([*private, *items_of(chain[-1].body)], replace(inside, guards=()))
        where = chain[-1].location
        body: Stmt = Block(where, tuple(assemble(tuple(inner))))
        for loop in reversed(chain):
            body = stride_loop(loop, self.names, body, False)
        unspread = sorted(self.axes - inside.spread)
        if unspread and self.touched(body).writes:
            body = If(where, both([self.leader(axis) for axis in unspread]), body)
        return Step(where, self.touched(body), inside.owner, body, guarded=True, guards=context.guards)

    def reduced(
        self, steps: list[Step], reductions: tuple[Reduction, ...], chain: list[ParallelFor], context: Context
    ) -> list[Step]:
        """Surround a loop with what its reductions need."""
        if not reductions:
            return steps
        where = chain[0].location
        axes = tuple(sorted(loop.block for loop in chain if loop.block and loop.threads > 1))
        before: list[Step] = []
        after: list[Step] = []
        for reduction in reductions:
            if any(loop.grid for loop in chain):
                self.partials = (*self.partials, reduction)
            elif axes and reduction.operator in NEEDS_IDENTITY:
                before.append(Step(where, stmt=self.start_from_identity(reduction, axes)))
            if axes:
                after.append(Step(where, stmt=BlockReduce(where, reduction, axes), synchronises=True))
        return before + steps + after

    def start_from_identity(self, reduction: Reduction, axes: tuple[str, ...]) -> Stmt:
        """All but the first thread start from the identity, so that the value so far counts once."""
        where = self.cached.body.location
        others = [Binary(BOOL, where, "!=", formula(thread(axis), where), number(0, where)) for axis in axes]
        condition = others[0]
        for other in others[1:]:
            condition = Binary(BOOL, where, "||", condition, other)
        variable = Variable(reduction.type, where, reduction.variable)
        identity = number(NEEDS_IDENTITY[reduction.operator], where)
        return If(where, condition, Evaluate(where, Assign(reduction.type, where, "=", variable, identity)))

    def final_partials(self) -> list[Step]:
        """One thread of each block stores the block's results of the reductions over gangs."""
        where = self.cached.body.location
        region = self.cached.kernel.region
        others = (*region.reductions, *self.cached.kernel.reductions)
        self.partials += tuple(item for item in dict.fromkeys(others) if item not in self.partials)
        return [Step(where, stmt=StorePartial(where, reduction)) for reduction in self.partials]

    def tiled(self, variable: str) -> bool:
        """Whether a tile's start follows a loop variable."""
        return any(dimension.variable == variable for tile in self.cached.tiles for dimension in tile.dimensions)

    def exact(self, loop: ParallelFor) -> bool:
        """Whether the trip count is known to be a multiple of the block's extent."""
        first, limit = constant(loop.loop.first), constant(loop.loop.limit)
        if first is None or limit is None:
            return False
        span = (limit - first) * (1 if loop.loop.step > 0 else -1) + (
            "=" in loop.loop.operator[1:] and loop.loop.operator != "!="
        )
        count = -(-span // abs(loop.loop.step))
        return count > 0 and count % loop.threads == 0

    def width_of(self, loop: ParallelFor) -> str:
        """How the sharing width is found (section 4.2.2)."""
        if self.exact(loop) and self.width in ("auto", "fixed"):
            return "fixed"
        if self.width == "fixed":
            self.reporter.report("ACC410", loop.location, variable=_plain(loop.loop.variable), threads=loop.threads)
        return "sync" if self.width == "sync" else "kernel-args"


def _same_kind(outer: ParallelFor, inner: ParallelFor) -> bool:
    return (bool(outer.grid), bool(outer.block), outer.covered) == (bool(inner.grid), bool(inner.block), inner.covered)


def _has_continue(body: Stmt) -> bool:
    return any(isinstance(jump, Jump) and jump.keyword == "continue" for jump in leaving_jumps(body))


def _is_array(ctype: CType) -> bool:
    return isinstance(resolve(ctype), Array)


def _constant_size(ctype: CType) -> int | None:
    count = 1
    plain = resolve(ctype)
    while isinstance(plain, Array):
        length = constant(plain.length)
        if length is None:
            return None
        count *= length
        plain = resolve(plain.element)
    return count


def _plain(name: str) -> str:
    return name.partition("#")[0]
