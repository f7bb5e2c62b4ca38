"""Loops over strips that gangs share, and loops over vectors through a strip each: one nest over all iterations.

Before, blocks of 16 x 16 elements as programs spell them out::

    #pragma acc loop gang
    for (int ii = 0; ii < n; ii += 16)
        #pragma acc loop gang
        for (int jj = 0; jj < n; jj += 16)
            #pragma acc loop vector collapse(2)
            for (int i = ii; i < ii + 16; ++i)
                for (int j = jj; j < jj + 16; ++j)
    #pragma acc cache(a[i][jj-1:18])

After, where the host computes ``n_in_strips``, the multiple of 16 at which the last strip ends::

    #pragma acc loop gang vector collapse(2)
    for (int i = 0; i < n_in_strips; ++i)
        for (int j = 0; j < n_in_strips; ++j)
    #pragma acc cache(a[i][j-1:3])

Blocks are chosen for the whole nest then, and threads may have several iterations. Where the last strip ends at ``n``,
as a choice of the smaller one says, so do all iterations.
"""

from __future__ import annotations

from msgspec import Struct, field
from msgspec.structs import replace

from accache.analysis.canonical import canonical_loop
from accache.ir.as_polynomial import polynomial_of, smaller_of
from accache.ir.build import INT, number
from accache.ir.constants import constant
from accache.ir.kernels.simt import CanonicalLoop
from accache.ir.names import free_name, user_name
from accache.ir.openacc.atomics import same
from accache.ir.openacc.regions import Dimension, FreeVariable, Region
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Binary, Cache, Declare, Expr, For, Stmt, Variable
from accache.ir.types import integer_of, is_integer, unqualified
from accache.ir.walk import declared_variables, is_computed, rewrite, used_variables
from accache.mapping.data.quotients import known_integers
from accache.mapping.loops.joined_levels import as_one_nest, bounds, levels_of


def with_whole_strips(region: Region) -> Region:
    """A region without such strips; the region itself if it has none, or something else depends on them."""
    found = levels_of(region)
    strips = _Strips(region) if found is not None else None
    if found is None or strips is None:
        return region
    outer, own = found
    loops = [strips.without(loop, outer) for loop in own]
    kept = [loop for loop in outer if _variable(loop) not in strips.iterations]
    if not strips.iterations or any(loop is None for loop in loops):
        return region
    inner = [loop for loop in loops if loop is not None]
    body = strips.with_directives(own[-1].body)
    if body is None or used_variables(body) & strips.iterations.keys():
        return region
    inner[-1] = replace(inner[-1], body=body)
    changed = as_one_nest(region, own[0], [*kept, *inner])
    return replace(region, body=changed, variables=(*region.variables, *strips.limits))


class _Strips(Struct, dict=True):
    """The strips that loops go through, by the strip's variable, and the ``limits`` that the host computes."""

    region: Region
    iterations: dict[str, CanonicalLoop] = field(default_factory=dict)
    lengths: dict[str, int] = field(default_factory=dict)
    limits: list[FreeVariable] = field(default_factory=list)

    def without(self, loop: For, outer: list[For]) -> For | None:
        """A loop over all strips in the place of one over one of them; the loop itself if it depends on no other one.

        None if it depends on others in another way.
        """
        around = {_variable(item): canonical_loop(item) for item in outer}
        names = bounds(loop) & around.keys()
        own, strip = canonical_loop(loop), around[min(names)] if len(names) == 1 else ""
        if not names and not isinstance(own, str):
            return loop
        if isinstance(own, str) or isinstance(strip, str) or strip.variable in self.iterations:
            return None
        limit = self.limit(strip, own) if _begins(own, strip) else None
        start, test = loop.init[0] if loop.init else None, loop.condition
        if limit is None or not isinstance(start, Declare) or not isinstance(test, Binary) or test.op != "<":
            return None
        self.iterations[strip.variable] = own
        self.lengths[strip.variable] = strip.step
        return replace(loop, init=(replace(start, init=strip.first),), condition=replace(test, right=limit))

    def limit(self, strip: CanonicalLoop, own: CanonicalLoop) -> Expr | None:
        """The limit of a loop over all strips; None if the loop does not go through a whole strip."""
        end = Polynomial.symbol(strip.variable) + strip.step
        if polynomial_of(own.limit) == end:
            return self.rounded(strip)
        limit = polynomial_of(strip.limit)
        return strip.limit if limit is not None and smaller_of(own.limit) == {end, limit} else None

    def rounded(self, strip: CanonicalLoop) -> Expr | None:
        """The end of the last strip, which the host computes; None if it cannot."""
        where, step, ctype = strip.limit.location, strip.step, unqualified(strip.limit.type)
        first, limit = constant(strip.first), constant(strip.limit)
        if first is not None and limit is not None:
            return number(first - (first - limit) // step * step, where)
        is_known = is_computed(strip.limit) and used_variables(strip.limit) <= known_integers(self.region)
        if first != 0 or not is_known or not is_integer(ctype) or integer_of(ctype).size < integer_of(INT).size:
            return None
        length = number(step, where)
        last = Binary(ctype, where, "/", Binary(ctype, where, "+", strip.limit, number(step - 1, where)), length)
        value = Binary(ctype, where, "*", last, length)
        found = next((item for item in self.limits if item.value is not None and same(item.value, value)), None)
        if found is None:
            taken = {user_name(item.name) for item in (*self.region.variables, *self.limits)}
            taken |= {user_name(name) for name in declared_variables(self.region.body)}
            name = user_name(strip.limit.name) if isinstance(strip.limit, Variable) else "all"
            found = FreeVariable(
                f"{free_name(f'{name}_in_strips', taken.__contains__)}#0{len(self.limits) + 1}", ctype, value=value
            )
            self.limits.append(found)
        return Variable(ctype, where, found.name)

    def with_directives(self, body: Stmt) -> Stmt | None:
        """The body of an iteration with what directives name for it alone; None if they cannot."""
        refused: list[tuple[Dimension | None, ...]] = []

        def change(node: Expr | Stmt) -> Expr | Stmt:
            if not isinstance(node, Cache):
                return node
            parts = [tuple(map(self.of_iteration, item.dimensions)) for item in node.subarrays]
            refused.extend(part for part in parts if None in part)
            named = zip(node.subarrays, parts, strict=True)
            items = tuple(replace(item, dimensions=tuple(filter(None, part))) for item, part in named)
            return replace(node, subarrays=items)

        changed = rewrite(body, change)
        return None if refused else changed

    def of_iteration(self, part: Dimension) -> Dimension | None:
        """What an iteration has of a section of a strip: all iterations together have the section.

        ``[jj - 1 : 18]`` of a strip of 16 is ``[j - 1 : 3]`` of each.
        """
        lower = polynomial_of(part.lower) if part.lower is not None else None
        names = {name for name in self.iterations if part.lower is not None and name in used_variables(part.lower)}
        if part.length is not None and used_variables(part.length) & self.iterations.keys():
            return None
        if not names:
            return part
        length = constant(part.length) if part.length is not None else None
        strip = min(names)
        if len(names) > 1 or lower is None or length is None or lower.coefficient(strip) != Polynomial.constant(1):
            return None
        if length < self.lengths[strip] or part.lower is None or part.length is None:
            return None
        own = self.iterations[strip]

        def change(node: Expr | Stmt) -> Expr | Stmt:
            is_strip = isinstance(node, Variable) and node.name == strip
            return replace(node, name=own.variable) if is_strip else node

        each = number(length - self.lengths[strip] + 1, part.length.location)
        return replace(part, lower=rewrite(part.lower, change), length=each)


def _variable(loop: For) -> str:
    canonical = canonical_loop(loop)
    return canonical.variable if isinstance(canonical, CanonicalLoop) else ""


def _begins(own: CanonicalLoop, strip: CanonicalLoop) -> bool:
    """Whether a loop begins where a strip does, and both count up."""
    begins = polynomial_of(own.first) == Polynomial.symbol(strip.variable) and own.type == strip.type
    return begins and own.step == 1 and strip.step > 0 and (own.operator, strip.operator) == ("<", "<")
