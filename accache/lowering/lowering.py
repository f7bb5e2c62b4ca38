"""A mapped and cached kernel to SIMT form.

Before: ParallelFor and CacheRegion nodes. After: each thread's indices as declarations, its own
work under a predicate, fetches and write-backs all threads take part in, and barriers between
them. No thread leaves early, so every barrier is met by the whole block.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import partial, reduce

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.accesses import NOTHING, Accesses
from accache.analysis.calls import index_parts
from accache.analysis.uniformity import barrier_obstacle
from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.caching.cached import CachedKernel
from accache.caching.shared_parts import array_part
from accache.ir.arrays import extents
from accache.ir.build import both
from accache.ir.kernels.simt import CacheRegion, ParallelFor, WholeBlock
from accache.ir.names import START, user_name
from accache.ir.openacc.atomics import atomic_access
from accache.ir.tree import (
    Assign,
    Atomic,
    Block,
    Declare,
    Empty,
    Evaluate,
    Expr,
    For,
    If,
    InitList,
    Jump,
    Stmt,
    Switch,
    Variable,
    While,
)
from accache.ir.types import Array, Pointer, is_array, resolve, unqualified
from accache.ir.walk import assigned_variables, declared_variables, items_of, rewrite, used_variables
from accache.lowering.approximated_loops import with_rounds_together
from accache.lowering.barriers import Divergence, Step, conflict, place_barriers, refuse_divergent_barriers
from accache.lowering.broadcast import as_truth, by_leader, declared_by_leader, taken_out
from accache.lowering.columns import with_columns
from accache.lowering.copies import with_copies
from accache.lowering.full_chunks import with_full_chunks
from accache.lowering.guards import assemble
from accache.lowering.indices import IndexNames
from accache.lowering.kept_rows import with_kept_rows
from accache.lowering.loop_steps import LoopLowering
from accache.lowering.lowered import LoweredKernel
from accache.lowering.neighbours import with_shared_addresses
from accache.lowering.placement import initial_values, shared_array, shared_scalar, sliced, with_array_addresses
from accache.lowering.privacy import refuse_shared_temporaries
from accache.lowering.reducing import final_partials, note_fresh
from accache.lowering.region_steps import Transfers
from accache.lowering.state import Context, State
from accache.lowering.step_motion import gather_work, join_copies
from accache.lowering.structure import block_of, parts_of, with_parts
from accache.lowering.unused import without_unused
from accache.mapping.coarsening.coarse_kernels import varying_inside
from accache.mapping.grids import sliced_axis
from accache.mapping.loops.hoist_calls import call_of


def lowered(
    cached: CachedKernel, taken: frozenset[str], options: Options, room: int, *, reporter: Reporter
) -> LoweredKernel:
    """Lower one kernel, whose arrays may take ``room`` bytes of shared memory; tiles lie where they are planned to.

    The options' ``width`` and ``scope`` are the choices of sections 4.2.2 and 4.2.3.
    """
    refuse_shared_temporaries(cached.body, cached.kernel.memory | cached.kernel.shared, reporter)
    starts = frozenset(start for tile in cached.tiles for start in tile.range.starts)
    taken |= frozenset(map(user_name, declared_variables(cached.body)))  # those that passes declared, too
    names = IndexNames({*taken, *starts})
    for tile in cached.tiles:
        for role in ("dirty", "tags"):
            names.printed[f"{tile.name}@{role}"] = names.fresh(f"{user_name(tile.array)}_{role}")
    state = State(cached, reporter, names, options.width, options.scope, room)
    lowering = _Lowering(state)
    steps = [step for stmt in (*cached.kernel.prologue, cached.body) for step in lowering.statement(stmt, Context())]
    steps += final_partials(state)
    placed = place_barriers(tuple(steps), state.memory_model())
    refuse_divergent_barriers(placed, reporter)
    whole = Block(cached.body.location, tuple(assemble(placed)))
    # all threads that have several iterations agree on what they have in common
    divergent = state.varying if cached.single is None else varying_inside(cached.body)
    whole, kept = with_kept_rows(whole, cached, names)
    whole = with_full_chunks(whole, divergent, unrolled=cached.single is not None)
    whole = with_shared_addresses(whole, cached.kernel)
    if options.fast_math and cached.single is not None:
        whole = with_rounds_together(whole)
    room -= sum(array_part(item).bytes for item in state.shared.values())
    items, columns = with_columns(whole.items, cached, names, room if options.tune != "off" else 0)
    body = without_unused(items, cached, names)
    for tile in cached.tiles:
        for role in ("begin", "end"):
            names.of(f"{tile.array}@{role}")
    axis = sliced_axis(cached.kernel)
    if axis:
        names.of(START.format(axis))
    names.printed["@pool"] = names.fresh("shared")
    for role in ("lines", "words", "decision", "cache") if cached.has_lines else ():
        names.printed[f"@{role}"] = names.fresh(role)
    generated = frozenset(names.taken - (taken - starts))
    block = with_array_addresses(Block(cached.body.location, tuple(body)))
    block = with_copies(block, cached.kernel.shape.block, names)
    needed = used_variables(block)
    tables = tuple(table for table in cached.kernel.region.tables if table.name in needed)
    block = replace(block, items=(*tables, *block.items))
    shared = (*(item for item in state.shared.values() if item.name in needed), *columns.values())
    return LoweredKernel(
        cached,
        block,
        shared,
        names.printed,
        partials=state.partials,
        generated=generated,
        slices=state.slices,
        references=state.references,
        kept=kept,
        columns=tuple(map(user_name, columns)),
    )


class _Lowering(Struct, frozen=True):
    """Lowers one kernel's statements to steps."""

    state: State

    def statements(self, items: Sequence[Stmt], context: Context) -> list[Step]:
        """The steps of a statement list, fetches moved up and write-backs down where nothing stands between."""
        steps = [step for item in note_fresh(items) for step in self.statement(item, context)]
        return gather_work(steps, self.state.overlap)

    def statement(self, stmt: Stmt, context: Context) -> list[Step]:
        """The steps of one statement."""
        if isinstance(stmt, ParallelFor):
            return LoopLowering(self.state, self.statements).parallel(stmt, context)
        if isinstance(stmt, CacheRegion):
            return self.region(stmt, context)
        if isinstance(stmt, Declare):
            return self.declaration(stmt, context)
        if isinstance(stmt, Empty):
            return []
        if call_of(stmt) is not None:
            return self.call(stmt, context)
        if self.state.is_collective(stmt) or self.state.may_return(stmt):
            return self.collective(stmt, context)
        if context.spread >= self.state.axes:
            return [self.own(stmt, context)]
        if isinstance(stmt, Atomic):
            return self.atomic(stmt, context)
        if self.state.may_leave(stmt):
            if isinstance(stmt, Switch):
                construct = "a switch between gang and vector loops that changes memory and ends a loop's round"
                raise self.state.reporter.fail("ACC301", stmt.location, construct=construct)
            return self.collective(stmt, context)
        return self.redundant(stmt, context)

    def call(self, stmt: Stmt, context: Context) -> list[Step]:
        """A call that all threads make together; what it gives is stored by one of them."""
        before, stmt = self.arguments(stmt, context)
        if before:
            return [*before, *self.call(stmt, context)]
        call, state = call_of(stmt), self.state
        target = stmt.expr.target if isinstance(stmt, Evaluate) and isinstance(stmt.expr, Assign) else None
        if call is None or not isinstance(target, Variable) or target.name not in state.memory:
            reason = "not all threads have an iteration" if context.guards else ""
            divergent = Divergence(reason, reason)
            return [Step(stmt.location, state.touched(stmt), stmt=stmt, waits="block", divergent=divergent)]
        name = f"{call.function}_value#of{state.next_owner()}"
        declare = Declare(stmt.location, name, unqualified(call.type), call)
        stored = _assignment(stmt, target.name, Variable(call.type, stmt.location, name))
        return [*self.call(declare, context), *self.redundant(stored, context)]

    def arguments(self, stmt: Stmt, context: Context) -> tuple[list[Step], Stmt]:
        """A call that reads its arguments before threads write in it, and the steps that read what it may change."""
        call, state = call_of(stmt), self.state
        assert call is not None
        changed = Accesses(writes=state.touched(call).writes)
        steps: list[Step] = []
        for item in call.arguments:
            is_address = isinstance(resolve(item.type), (Array, Pointer))
            for part in index_parts(item) if is_address else (item,):
                if conflict(state.touched(part), changed, state.overlap):
                    declare, value = taken_out(part, f"{call.function}_argument", context, state)
                    steps += self.declaration(declare, context)
                    stmt = rewrite(stmt, partial(_exchanged, old=part, new=value))
        return steps, stmt

    def region(self, stmt: CacheRegion, context: Context) -> list[Step]:
        """A cache region."""
        if any(tile.lines is not None for tile in stmt.tiles):
            return [self.own(stmt, context)]
        return self.around(stmt, context)

    def around(self, stmt: CacheRegion, context: Context) -> list[Step]:
        """The steps of a cache region: fetches, its own, write-backs."""
        transfers = Transfers(stmt, context, self.state)
        before = transfers.before_body()
        body = [step for item in items_of(transfers.body()) for step in self.statement(item, context)]
        return before + body + transfers.behind_body()

    def own(self, stmt: Stmt, context: Context) -> Step:
        """A statement each thread runs for its own iteration."""
        touched = self.state.touched(stmt)
        inlined = rewrite(stmt, self.inline, Declare, CacheRegion)
        cells = self.state.cells(stmt, context)
        is_partial = isinstance(stmt, Declare) and stmt.name in self.state.partial
        return Step(
            stmt.location,
            touched,
            context.owner,
            inlined,
            guarded=True,
            guards=context.guards,
            cells=cells,
            is_partial=is_partial,
        )

    def inline(self, node: Expr | Stmt) -> Expr | Stmt:
        """A cache region or an array of variable length inside one thread's own work, the thread's own as well."""
        if isinstance(node, Declare) and is_array(node.type) and extents(node.type) is None:
            return sliced(node, self.state.axes, self.state)
        if not isinstance(node, CacheRegion):
            return node
        return Block(node.location, tuple(assemble(join_copies(self.around(node, Context(self.state.axes))))))

    def collective(self, stmt: Stmt, context: Context) -> list[Step]:
        """A loop, condition or block that holds something threads do together.

        Where threads may disagree on the way through it, it is each thread's own work as a whole,
        and no barrier may stand in it (checked when barriers are placed).
        """
        state = self.state
        if not isinstance(stmt, (Block, For, While, If)):
            raise state.reporter.fail("ACC313", stmt.location)
        if conflict(self.start(stmt), state.touched(stmt), state.overlap):  # one barrier behind it, not one a round
            assert isinstance(stmt, For)
            return self.collective(Block(stmt.location, (*stmt.init, replace(stmt, init=()))), context)
        if not context.spread >= state.axes and self.head(stmt).writes:
            return self.decided(stmt, context)

        def obstacle(varying: frozenset[str], among_threads: bool, axes: Container[str]) -> str:
            return barrier_obstacle((stmt,), state.cached.body, varying, among_threads, axes=axes)

        divergent = state.divergence(context, obstacle)
        disagree = bool(divergent.block)
        inside = replace(context, guards=()) if disagree else context
        parts = parts_of(stmt)
        within = [inside] * len(parts)
        if isinstance(stmt, If) and isinstance(stmt.condition, WholeBlock):
            within[0] = replace(inside, guards=())
            stmt = replace(stmt, condition=stmt.condition.condition)
        inner = tuple(tuple(self.statements(items_of(part), each)) for part, each in zip(parts, within, strict=True))
        touched = state.touched(stmt) if disagree else NOTHING

        def build(bodies: tuple[tuple[Step, ...], ...]) -> Stmt:
            return with_parts(stmt, [block_of(part, body) for part, body in zip(parts, bodies, strict=True)])

        return [
            Step(
                stmt.location,
                touched,
                inner=inner,
                build=build,
                is_loop=isinstance(stmt, (For, While)),
                guarded=disagree,
                guards=context.guards if disagree else (),
                divergent=divergent,
                control=self.control(stmt),
                start=self.start(stmt),
                round_owner=context.owner,
                round_leader=state.leader(context),
            ),
        ]

    def decided(self, stmt: Stmt, context: Context) -> list[Step]:
        """A statement whose way is decided by what changes memory: one thread does that, and hands out the result."""
        if not isinstance(stmt, If):
            self.state.reporter.stop_on_errors()
            construct = "a loop between gang and vector loops whose head changes memory"
            raise self.state.reporter.fail("ACC301", stmt.location, construct=construct)
        declare, condition = taken_out(as_truth(stmt.condition), "condition", context, self.state)
        return [*self.declaration(declare, context), *self.collective(replace(stmt, condition=condition), context)]

    def head(self, stmt: Stmt) -> Accesses:
        """The memory of all that a statement computes besides what it controls."""
        return self.start(stmt) | self.control(stmt)

    def start(self, stmt: Stmt) -> Accesses:
        """The memory of what a loop computes before its first round."""
        init = stmt.init if isinstance(stmt, For) else ()
        return reduce(Accesses.__or__, map(self.state.touched, init), NOTHING)

    def control(self, stmt: Stmt) -> Accesses:
        """The memory every thread reads to decide the way through a statement."""
        if isinstance(stmt, For):
            parts = [part for part in (stmt.condition, stmt.step) if part is not None]
        else:
            parts = [stmt.condition] if isinstance(stmt, (If, While)) else []
        touched = NOTHING
        for part in parts:
            touched |= self.state.touched(part)
        return touched

    def declaration(self, stmt: Declare, context: Context) -> list[Step]:
        """A local variable: a gang's array goes to shared memory, the rest is each thread's own."""
        state = self.state
        if stmt.name in state.cached.kernel.own:
            return [Step(stmt.location, NOTHING, context.owner, stmt, guarded=True, guards=context.guards)]
        spread = context.spread & state.axes
        if context.spread >= state.axes and call_of(stmt) is None:
            return [self.own(stmt, context)]
        if is_array(stmt.type):
            values = initial_values(stmt) or ()
            found = shared_array(stmt, spread, state)
            filled = self.redundant(Block(stmt.location, values), context) if values else []
            return [Step(stmt.location, stmt=item) for item in found] + filled
        if stmt.name in state.cached.kernel.shared:
            return self.shared_declaration(stmt, context)
        if call_of(stmt) is not None:
            return self.call(stmt, context)
        if stmt.init is not None and state.touched(stmt).writes:
            return declared_by_leader(stmt, stmt.init, context, state)
        return [self.own(stmt, context)]

    def shared_declaration(self, stmt: Declare, context: Context) -> list[Step]:
        """A scalar or structure of which a gang has one copy in shared memory."""
        found = shared_scalar(stmt, context.spread & self.state.axes, self.state)
        steps = [Step(stmt.location, stmt=item) for item in found]
        value = stmt.init
        if isinstance(value, InitList):
            declare, value = taken_out(replace(value, type=stmt.type), user_name(stmt.name), context, self.state)
            steps += self.declaration(declare, context)
        return steps if value is None else steps + self.statement(_assignment(stmt, stmt.name, value), context)

    def atomic(self, stmt: Atomic, context: Context) -> list[Step]:
        """An atomic construct between gang and vector loops: one thread does it and hands out what it captured."""
        captured = atomic_access(stmt).captured
        if not isinstance(captured, Variable) or captured.name in self.state.memory:
            return self.redundant(stmt, context)
        return by_leader(stmt, frozenset((captured.name,)), context, self.state)

    def redundant(self, stmt: Stmt, context: Context) -> list[Step]:
        """A statement between gang and vector loops: one thread's side effects, every thread's private values."""
        state, touched = self.state, self.state.touched(stmt)
        if not touched.writes:
            own = rewrite(stmt, self.inline)
            return [Step(stmt.location, touched, "", own, guarded=True, guards=context.guards)]
        if isinstance(stmt, Jump) and stmt.value is not None:
            declare, value = taken_out(stmt.value, "result", context, state)
            return [*self.declaration(declare, context), *self.redundant(replace(stmt, value=value), context)]
        changed = assigned_variables(stmt) - declared_variables(stmt) - state.memory
        if not changed:
            guarded = If(stmt.location, both(state.leaders(context)), rewrite(stmt, self.inline))
            return [Step(stmt.location, touched, state.leader(context), guarded, guarded=True, guards=context.guards)]
        if isinstance(stmt, (Block, For, While, If)):
            return self.collective(stmt, context)
        return by_leader(stmt, changed, context, state)


def _assignment(stmt: Stmt, name: str, value: Expr) -> Stmt:
    """``name = value;`` in the place of a statement."""
    target = Variable(value.type, stmt.location, name)
    return Evaluate(stmt.location, Assign(value.type, stmt.location, "=", target, value))


def _exchanged(node: Expr | Stmt, old: Expr, new: Expr) -> Expr | Stmt:
    """A node, or what stands in the place of an expression."""
    return new if node == old else node
