"""What reductions need around parallel loops: a start from the identity, a combination of the block's values."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from accache.base.text import Location
from accache.ir.arrays import innermost
from accache.ir.build import BOOL, formula, number
from accache.ir.constants import constant
from accache.ir.kernels.combining import combination
from accache.ir.kernels.simt import BlockReduce, ParallelFor, StorePartials
from accache.ir.names import thread
from accache.ir.openacc.regions import Reduction
from accache.ir.tree import Binary, Block, Declare, Evaluate, Expr, FloatLiteral, For, If, Stmt, Variable, While
from accache.ir.walk import children, declared_variables, items_of, used_variables, walk
from accache.lowering.barriers import Step
from accache.lowering.state import State
from accache.mapping.data.elements import NEEDS_IDENTITY, assigned, each_element


def surround(
    steps: list[Step], chain: Sequence[ParallelFor], state: State, alone: frozenset[str] = frozenset()
) -> list[Step]:
    """The steps of a loop nest between what its reductions need; those over gangs are noted for the kernel's end.

    Along the axes called ``alone`` only the first threads run the loop, and hand its results to the others.
    """
    where = chain[0].location
    axes = tuple(sorted({loop.block for loop in chain if loop.block and loop.threads > 1} | alone))
    before: list[Step] = []
    after: list[Step] = []
    reductions = {item.variable: item for loop in reversed(chain) for item in reversed(loop.reductions)}
    for reduction in reversed(reductions.values()):  # loops of one nest combine a variable together
        is_over_gangs = any(loop.grid for loop in chain)
        if is_over_gangs:
            state.partials = tuple(dict.fromkeys((*state.partials, reduction)))
        is_fresh = reduction.fresh or (is_over_gangs and _comes_first(chain[0], reduction.variable, state.cached.body))
        if axes and reduction.operator in NEEDS_IDENTITY and not is_fresh:
            before.append(Step(where, stmt=_start_from_identity(reduction, axes, state)))
        if axes:
            kernel = state.cached.kernel
            scope = "block" if kernel.is_routine else combination(axes, kernel.shape.block).scope
            stmt = _over_the_block(reduction, axes, where, state)
            after.append(Step(where, stmt=stmt, synchronises=scope, waits=scope))
    return before + steps + after


def note_fresh(items: Sequence[Stmt], before: Sequence[Stmt] = ()) -> list[Stmt]:
    """A statement list whose reductions know where every thread starts from the identity: just declared so.

    What stands ``before`` it, and around, is done first.
    """
    found: list[Stmt] = list(before)
    for item in items:
        if isinstance(item, ParallelFor):
            reductions = tuple(replace(r, fresh=r.fresh or _is_fresh(r, found)) for r in item.reductions)
            item = replace(item, reductions=reductions) if reductions != item.reductions else item
        elif isinstance(item, If):
            earlier = (*found, Evaluate(item.location, item.condition))
            otherwise = item.otherwise if item.otherwise is None else _noted(item.otherwise, earlier)
            item = replace(item, then=_noted(item.then, earlier), otherwise=otherwise)
        found.append(item)
    return found[len(before) :]


def _noted(branch: Stmt, before: Sequence[Stmt]) -> Stmt:
    """The branch of a condition whose reductions know that, too."""
    items = items_of(branch)
    noted = tuple(note_fresh(items, before))
    return branch if noted == items else Block(branch.location, noted)


def _is_fresh(reduction: Reduction, before: Sequence[Stmt]) -> bool:
    """Whether the last statement that names a variable declares it with the identity of its reduction."""
    name = reduction.variable
    last = next((item for item in reversed(before) if name in used_variables(item) | declared_variables(item)), None)
    if reduction.is_array or not isinstance(last, Declare) or last.name != name or last.init is None:
        return False
    start = NEEDS_IDENTITY.get(reduction.operator)
    if isinstance(last.init, FloatLiteral):
        return start is not None and last.init.spelling.rstrip("fFlL") in (f"{start}.", f"{start}.0")
    return start is not None and constant(last.init) == start


def _comes_first(loop: ParallelFor, variable: str, stmt: Stmt | Expr) -> bool:
    """Whether a loop runs once in a statement, before all else there that names a variable."""
    if isinstance(stmt, ParallelFor) and stmt.loop is loop.loop:
        return True
    earlier: list[Stmt | Expr] = []
    for part in children(stmt):
        if any(isinstance(node, ParallelFor) and node.loop is loop.loop for node in walk(part)):
            is_repeated = isinstance(stmt, (For, While, ParallelFor))
            named = any(variable in used_variables(other) for other in earlier)
            return not is_repeated and not named and _comes_first(loop, variable, part)
        earlier.append(part)
    return False


def final_partials(state: State) -> list[Step]:
    """One thread of each block stores the block's results of the reductions over gangs."""
    where = state.cached.body.location
    kernel = state.cached.kernel
    others = dict.fromkeys((*kernel.region.reductions, *kernel.results))
    state.partials += tuple(item for item in others if item not in state.partials)
    return [Step(where, stmt=StorePartials(where, state.partials))] if state.partials else []


def _start_from_identity(reduction: Reduction, axes: tuple[str, ...], state: State) -> Stmt:
    """All but the first thread start from the identity, so that the value so far counts once."""
    where = state.cached.body.location
    others = [Binary(BOOL, where, "!=", formula(thread(axis), where), number(0, where)) for axis in axes]
    condition = others[0]
    for other in others[1:]:
        condition = Binary(BOOL, where, "||", condition, other)
    variable = Variable(reduction.type, where, reduction.variable)
    start = number(NEEDS_IDENTITY[reduction.operator], where)
    return If(where, condition, each_element(variable, lambda element: assigned(element, start)))


def _over_the_block(reduction: Reduction, axes: tuple[str, ...], where: Location, state: State) -> Stmt:
    """The combination of a variable over threads; the elements of an array go together where warps combine them."""
    kernel = state.cached.kernel
    if not reduction.is_array or (not kernel.is_routine and combination(axes, kernel.shape.block).in_warps):
        return BlockReduce(where, reduction, axes)
    single = replace(reduction, type=innermost(reduction.type))
    array = Variable(reduction.type, where, reduction.variable)
    return each_element(array, lambda element: BlockReduce(where, single, axes, element))
