"""One thread's work between gang and vector loops, and its private results handed to all threads.

Before: ``old = a[row]++;`` between loops. After::

    if (threadIdx.x == 0)
        old_shared = a[row]++;
    __syncthreads();
    old = old_shared;
"""

from __future__ import annotations

from msgspec.structs import replace

from accache.analysis.accesses import Accesses
from accache.analysis.effects import COMPARING
from accache.ir.build import INT, both
from accache.ir.openacc.atomics import with_captured
from accache.ir.tree import Assign, Atomic, Binary, Block, Declare, Evaluate, Expr, If, IntLiteral, Stmt, Variable
from accache.ir.types import Pointer, Record, resolve, unqualified
from accache.ir.walk import assigned_variables, nodes_of, used_variables
from accache.lowering.barriers import Step
from accache.lowering.placement import shared_copies
from accache.lowering.state import Context, State


def by_leader(stmt: Stmt, changed: frozenset[str], context: Context, state: State) -> list[Step]:
    """A statement that one thread of the block runs; the variables it changes then change for all threads."""
    where = stmt.location
    own = {node.name: node for node in nodes_of(stmt, Variable) if node.name in changed}
    spread = context.spread & state.axes
    shared = {
        name: shared_copies(name, "shared", unqualified(own[name].type), spread, state=state)
        for name in sorted(changed)
    }
    names = {name: used_variables(item) for name, item in shared.items()}
    handed = frozenset().union(*names.values())
    state.handed |= handed
    touched = state.touched(stmt) | Accesses(writes=handed)
    work = If(where, both(state.leaders(context)), _sending(stmt, own, shared))
    steps = [Step(where, touched, state.leader(context), work, guarded=True, guards=context.guards)]
    for name, item in shared.items():
        received = _assign(own[name], item)
        reads = Accesses(reads=names[name])
        steps.append(Step(where, reads, "", received, guarded=True, guards=context.guards))
    return steps


def declared_by_leader(stmt: Declare, init: Expr, context: Context, state: State) -> list[Step]:
    """A declaration whose initialiser changes memory: one thread computes it."""
    ctype = unqualified(stmt.type)
    ctype = replace(ctype, const=False) if isinstance(ctype, Pointer) else ctype
    declare = Declare(stmt.location, stmt.name, ctype, None)
    value = _assign(Variable(ctype, stmt.location, stmt.name), init)
    declared = Step(stmt.location, stmt=declare, guarded=True, guards=context.guards)
    changed = frozenset((stmt.name,)) | assigned_variables(init) - state.memory
    return [declared, *by_leader(value, changed, context, state)]


def taken_out(value: Expr, name: str, context: Context, state: State) -> tuple[Declare, Variable]:
    """The declaration of a variable for a value whose computation changes memory, and that variable.

    What two threads get may differ where workers have iterations of their own.
    """
    unique = f"{name}#taken{state.next_owner()}"
    state.varying |= {unique} if context.spread & state.axes else frozenset()
    state.varying_in_warps |= {unique} if "x" in context.spread & state.axes else frozenset()
    ctype = unqualified(value.type)
    return Declare(value.location, unique, ctype, value), Variable(ctype, value.location, unique)


def as_truth(condition: Expr) -> Expr:
    """A condition as a number that is zero or one."""
    if isinstance(condition, Binary) and condition.op in COMPARING:
        return condition
    zero = IntLiteral(INT, condition.location, 0, "0")
    return Binary(INT, condition.location, "!=", condition, zero)


def _sending(stmt: Stmt, own: dict[str, Variable], shared: dict[str, Expr]) -> Stmt:
    """The statement, its results written to shared memory: directly if there is one, a number or an address."""
    only = next(iter(own.values())) if len(own) == 1 else None
    only = None if only is not None and isinstance(resolve(only.type), Record) else only
    if only is not None and isinstance(stmt, Atomic):
        return with_captured(stmt, shared[only.name])
    if only is not None and isinstance(stmt, Evaluate) and isinstance(stmt.expr, Assign) and stmt.expr.op == "=":
        target, value = stmt.expr.target, stmt.expr.value
        if isinstance(target, Variable) and target.name == only.name and only.name not in used_variables(value):
            return _assign(shared[only.name], value)
    return Block(stmt.location, (stmt, *(_assign(shared[name], variable) for name, variable in own.items())))


def _assign(target: Expr, value: Expr) -> Evaluate:
    where = value.location
    return Evaluate(where, Assign(target.type, where, "=", target, value))
