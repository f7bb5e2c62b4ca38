"""Cache sharing (paper 004, section 4.2): which threads' subarrays overlap, and the range a block needs.

With rate r of the lower bound in a loop variable, loop step s and sigma = r*s, the block's range
starts at the lower bound of its first iteration plus min(0, sigma*(width - 1)) and holds
length + |sigma|*(width - 1) elements. (The paper's formulas leave the step out.)
"""

from __future__ import annotations

from accache.analysis.block_ranges import shared_range
from accache.caching.sizing.bounds import Bound
from accache.ir.kernels.simt import ParallelFor
from accache.ir.kernels.tiles import TileDimension
from accache.ir.names import FIRST, WIDTH, user_name
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Stmt


def share(
    bounds: tuple[Bound, ...],
    path: tuple[Stmt, ...],
    varying: frozenset[str],
    stable: frozenset[str],
) -> tuple[tuple[TileDimension, ...], str]:
    """The tile's dimensions, and why the block cannot share them ('' if it can).

    ``stable`` are the names all threads of the block agree on.
    """
    loops = {stmt.loop.variable: stmt for stmt in path if isinstance(stmt, ParallelFor) and stmt.block}
    dimensions: list[TileDimension] = []
    problem = ""
    used: set[str] = set()
    for bound in bounds:
        lower, length = bound.lower, bound.length
        names = sorted(lower.names & set(loops))
        unknown = lower.names - stable - set(loops)
        private = TileDimension(lower, length, "", "", rate=0, step=1, extent=length, start=lower, limit=bound.limit)
        if unknown:
            name = user_name(sorted(unknown)[0])
            problem = problem or f"the lower bound depends on {name}, which differs between threads"
            dimensions.append(private)
        elif len(names) > 1:
            problem = problem or f"the lower bound depends on {len(names)} parallel loops at once"
            dimensions.append(private)
        elif not names:
            dimensions.append(private)
        else:
            dimension, reason = _along(lower, length, loops[names[0]])
            if bound.limit is not None:
                dimension, reason = private, "the length is known only at run time"
            if dimension.axis in used:
                reason = reason or f"two dimensions follow the same loop over {names[0].partition('#')[0]}"
            used.add(dimension.axis)
            problem = problem or reason
            dimensions.append(dimension)
    return tuple(dimensions), problem


def _along(lower: Polynomial, length: int, loop: ParallelFor) -> tuple[TileDimension, str]:
    """One dimension whose lower bound follows a loop spread over the block's threads."""
    variable = loop.loop.variable
    shared = shared_range(lower, variable, loop.loop.step, length, threads=loop.threads)
    rate = shared.rate.constant_value if shared is not None else None
    private = TileDimension(lower, length, "", "", rate=0, step=1, extent=length, start=lower)
    if shared is None or rate is None:
        return private, f"the lower bound is not linear in {variable.partition('#')[0]} with a constant rate"
    sigma = rate * loop.loop.step
    start = lower.substitute({variable: Polynomial.symbol(FIRST.format(variable))})
    if sigma < 0:
        start = start + sigma * (Polynomial.symbol(WIDTH.format(variable)) - 1)
    return TileDimension(
        lower, length, loop.block, variable, rate=rate, step=loop.loop.step, extent=shared.extent, start=start
    ), ""
