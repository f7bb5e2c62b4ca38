"""Parallel loops to steps: each thread's indices, the predicate of its own work, strides over chunks and iterations.

A covered loop has a thread (or block) for every iteration. Elsewhere blocks stride over chunks of
iterations, all threads together, where the body holds something they do together; else each
thread strides over its own.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.uniformity import leaving_jumps, reduced_by_threads, round_obstacle
from accache.ir.build import BOOL, both
from accache.ir.kernels.simt import CacheRegion, ParallelFor
from accache.ir.tree import Block, Declare, Expr, If, Jump, Stmt, Variable
from accache.ir.walk import items_of, nodes_of
from accache.lowering.barriers import Step
from accache.lowering.guards import assemble
from accache.lowering.indices import (
    block_first,
    in_range,
    own_index,
    own_iteration,
    own_iterations,
    stride_loop,
    width_declaration,
)
from accache.lowering.reducing import surround
from accache.lowering.state import Context, State
from accache.lowering.structure import block_of

Lower = Callable[[Sequence[Stmt], Context], list[Step]]


class LoopLowering(Struct, frozen=True):
    """Lowers parallel loops; ``statements`` lowers what stands in them."""

    state: State
    statements: Lower

    def parallel(self, stmt: ParallelFor, context: Context) -> list[Step]:
        """A parallel loop and those perfectly nested in it that are lowered with it."""
        chain = [stmt]
        while isinstance(chain[-1].body, ParallelFor) and _is_one_nest(chain, chain[-1].body):
            chain.append(chain[-1].body)
        axes = frozenset(loop.block for loop in chain if loop.block)
        reduced = context.reduced.union(*(reduced_by_threads(loop) for loop in chain))
        owner = self.state.next_owner()
        rounds = tuple((loop.loop.variable, _round(loop, owner)) for loop in chain if not loop.block)
        inside = replace(
            context, spread=context.spread | axes, owner=owner, reduced=reduced, rounds=context.rounds + rounds
        )
        collective = self.state.is_collective(chain[-1].body)
        if stmt.covered and not _has_continue(chain[-1].body):
            steps = self.covered(chain, inside)
        elif collective:
            steps = self.chunked(chain, inside)
        else:
            step, alone = self.strided(chain, context, inside)
            return surround([step], chain, self.state, alone)
        if "y" in axes and self.is_a_warps(stmt, context):
            steps = [_of_warp(step, owner) for step in steps]
        return surround(steps, chain, self.state)

    def is_a_warps(self, stmt: ParallelFor, context: Context) -> bool:
        """Whether each warp has iterations of a loop over y for itself, and all threads of the block none together.

        Iterations are independent: in them lanes of one warp pass each other data, and wait for no others. The whole
        block would fetch a tile, though.
        """
        is_apart = self.state.has_warps_apart and "x" not in context.spread
        regions = nodes_of(stmt.body, CacheRegion)
        return is_apart and not any(tile.scope == "block" for region in regions for tile in region.tiles)

    def covered(self, chain: list[ParallelFor], inside: Context) -> list[Step]:
        """One iteration a thread (or block): declare the indices and guard the threads past the end."""
        steps: list[Step] = []
        conditions: list[Expr] = []
        for loop in chain:
            steps += self.index_steps(loop)
            if loop.block and not self.state.exact(loop):
                conditions.append(in_range(loop, self.state.begins(loop.loop.variable)))
        return steps + self.guarded_body(chain, conditions, inside)

    def index_steps(self, loop: ParallelFor) -> list[Step]:
        """Declarations of the block's first index (if a tile needs it) and the thread's own."""
        begins = self.state.begins(loop.loop.variable)
        first = block_first(loop, self.state.names, needed=begins)
        declares = [*first, own_index(loop, self.state.names, from_first=begins)]
        return [Step(loop.location, stmt=declare) for declare in declares]

    def guarded_body(self, chain: list[ParallelFor], conditions: list[Expr], inside: Context) -> list[Step]:
        """The body under the loop's own condition, with the sharing widths its tiles need."""
        loop = chain[-1]
        steps: list[Step] = []
        guards = (*inside.guards, *conditions)
        collective = self.state.is_collective(loop.body)
        if collective and conditions:
            declare, guards = self.predicate(loop, guards)
            steps.append(declare)
        for item in chain:
            steps += self.width(item, guards)
        body = self.statements(items_of(loop.body), replace(inside, guards=guards))
        if not collective and guards != inside.guards:
            where = loop.location
            block = Block(where, tuple(assemble(tuple(replace(step, guards=()) for step in body))))
            accesses = self.state.touched(block)
            body = [Step(where, accesses, inside.owner, block, guarded=True, guards=guards)]
        return steps + body

    def predicate(self, loop: ParallelFor, guards: tuple[Expr, ...]) -> tuple[Step, tuple[Expr, ...]]:
        """The declaration of a name for some guards, and that name in their place."""
        where = loop.location
        name = self.state.names.fresh("active")
        declare = Declare(where, name, replace(BOOL, const=True), both(list(guards)))
        return Step(where, stmt=declare), (Variable(BOOL, where, name),)

    def width(self, loop: ParallelFor, guards: tuple[Expr, ...]) -> list[Step]:
        """The sharing width along a loop that a tile follows."""
        state = self.state
        if not state.tiled(loop.loop.variable):
            return []
        return width_declaration(loop, state.names, state.width_of(loop), guards, axes=state.axes)

    def chunked(self, chain: list[ParallelFor], inside: Context) -> list[Step]:
        """Blocks stride over chunks of iterations, all threads together: barriers in the body stay legal."""
        loop, rest = chain[0], chain[1:]
        steps: list[Step] = []
        conditions = []
        if loop.block:
            steps.append(Step(loop.location, stmt=own_index(loop, self.state.names, from_first=True)))
            if not self.state.exact(loop):
                conditions.append(in_range(loop, True))
        if rest:
            guards = inside.guards
            if conditions:
                declare, guards = self.predicate(loop, (*guards, *conditions))
                steps.append(declare)
            steps += self.width(loop, guards)
            steps += self.chunked(rest, replace(inside, guards=guards))
        else:
            steps += self.guarded_body([loop], conditions, inside)
        return [self.over_chunks(loop, tuple(steps), inside, bool(conditions or inside.guards))]

    def over_chunks(self, loop: ParallelFor, steps: tuple[Step, ...], inside: Context, guarded: bool) -> Step:
        """The loop over a block's chunks around the steps of one; ``guarded`` if some threads have no iteration."""
        state = self.state

        def obstacle(varying: frozenset[str], among_threads: bool, axes: Container[str]) -> str:
            found = round_obstacle(loop.body, state.cached.body, varying, among_threads, axes=axes)
            if found or not (guarded and among_threads and _has_continue(loop.body)):
                return found
            return "threads that have no iteration do not continue with those that have one"

        def build(bodies: tuple[tuple[Step, ...], ...]) -> Stmt:
            return stride_loop(loop, state.names, block_of(loop, bodies[0]), bool(loop.block))

        return Step(
            loop.location,
            inner=(steps,),
            build=build,
            is_loop=True,
            divergent=state.divergence(inside, obstacle),
            control=state.touched(loop.loop.first) | state.touched(loop.loop.limit),
            round_owner=inside.owner,
            round_leader=state.leader(inside),
            round=_round(loop, inside.owner),
        )

    def strided(self, chain: list[ParallelFor], context: Context, inside: Context) -> tuple[Step, frozenset[str]]:
        """Every thread strides over its own iterations; the axes along which the first threads alone do so.

        Of covered loops inside of one that strides for its reductions it has one.
        """
        state = self.state
        inner = self.statements(items_of(chain[-1].body), replace(inside, guards=(), spread=state.axes))
        where = chain[-1].location
        body: Stmt = Block(where, tuple(assemble(tuple(inner))))
        for loop in reversed(chain):
            if chain[0].most and loop.covered:
                is_exact = not loop.block or state.exact(loop)
                body = own_iteration(loop, state.names, body, is_exact)
            else:
                body = own_iterations(loop, state.names, body, _has_continue(loop.body))
        cells = state.cells(chain[-1].body, inside, chain[0] if len(chain) == 1 else None)
        touched = state.touched(body)
        alone = state.axes - inside.spread if touched.writes else frozenset[str]()
        if alone:
            body = If(where, both(state.leaders(inside)), body)
        step = Step(where, state.touched(body), inside.owner, body, guarded=True, guards=context.guards, cells=cells)
        return step, alone


def _of_warp(step: Step, loop: str) -> Step:
    """A step of a loop whose iterations each warp has for itself."""
    inner = tuple(tuple(_of_warp(item, loop) for item in body) for body in step.inner)
    return replace(step, warp=loop, inner=inner)


def _round(loop: ParallelFor, owner: str) -> str:
    """A name for the value that a loop's variable has in a round."""
    return f"{loop.loop.variable}@{owner}"


def _is_one_nest(outer: Sequence[ParallelFor], inner: ParallelFor) -> bool:
    """Whether loops are lowered together with the one right inside of them: it is spread alike, or shares reductions.

    Where the first of a nest strides for its reductions, the others are covered.

    The first loop of a nest carries the reductions of them all.
    """
    last = outer[-1]
    is_alike = (bool(last.grid), bool(last.block)) == (bool(inner.grid), bool(inner.block))
    is_covered_alike = last.covered == inner.covered or outer[0].most > 0
    return is_covered_alike and (is_alike or bool(outer[0].reductions and not inner.reductions))


def _has_continue(body: Stmt) -> bool:
    return any(isinstance(jump, Jump) and jump.keyword == "continue" for jump in leaving_jumps(body))
