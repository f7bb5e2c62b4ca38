"""Cache directives put into a compute construct, as the parser would have read them there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from accache.caching.auto.proposals import Anchor, Proposal, subarray_of
from accache.caching.choice import Key
from accache.ir.names import user_name
from accache.ir.openacc.regions import Region, Subarray
from accache.ir.tree import Block, Cache, Declare, Expr, For, Stmt, While
from accache.ir.types import CType, is_integer
from accache.ir.walk import map_children, nodes_of

Scope = Mapping[str, tuple[str, CType]]
"""The variables seen at a place: by the user's spelling, their unique name and type."""


class Proposed(Struct, frozen=True):
    """A proposal with the thread density for which it is made."""

    proposal: Proposal
    density: float = 0.0

    @property
    def key(self) -> Key:
        """The place and the text of its subarray."""
        return self.proposal.anchor.loop, self.proposal.text


def with_directives(region: Region, proposed: Sequence[Proposed]) -> Region:
    """The construct with directives for proposals; those are left out whose place or names are not found in it."""
    scope = {user_name(item.name): (item.name, item.type) for item in region.variables}
    places: dict[Anchor, list[Proposed]] = {}
    for item in proposed:
        places.setdefault(item.proposal.anchor, []).append(item)
    loops = [node.location for node in nodes_of(region.body, For)]
    known = {anchor: found for anchor, found in places.items() if loops.count(anchor.loop) == 1}
    return replace(region, body=_Insertion(region, known).statement(region.body, scope, False)) if known else region


class _Insertion(Struct, frozen=True):
    """Walks a construct down to the places of directives."""

    region: Region
    places: Mapping[Anchor, list[Proposed]]

    def statement(self, stmt: Stmt, scope: Scope, in_loop: bool) -> Stmt:
        """A statement with its directives; ``in_loop`` if it is a loop's body."""
        if isinstance(stmt, Block):
            return replace(stmt, items=self.items(stmt.items, scope, in_loop))
        if isinstance(stmt, For) and self.subarrays(stmt, False, scope):
            return Block(stmt.location, self.items((stmt,), scope, in_loop))
        return self.below(stmt, scope)

    def below(self, stmt: Stmt, scope: Scope) -> Stmt:
        """A statement in front of which no directive stands, with those inside."""
        if isinstance(stmt, For):
            inner = _with_declared(stmt.init, scope)
            body = self.statement(stmt.body, inner, True)
            subarrays = self.subarrays(stmt, True, inner)
            if subarrays:
                body = Block(stmt.body.location, (_directive(stmt, subarrays, body),))
            return replace(stmt, body=body)
        if isinstance(stmt, While):
            return replace(stmt, body=self.statement(stmt.body, scope, True))

        def change(child: Expr | Stmt) -> Expr | Stmt:
            return self.statement(child, scope, False) if isinstance(child, Stmt) else child

        return map_children(stmt, change)

    def items(self, items: tuple[Stmt, ...], scope: Scope, in_loop: bool) -> tuple[Stmt, ...]:
        """The statements of a block. A directive behind declarations at the top of a loop is for all that follow."""
        found: list[Stmt] = []
        at_top = in_loop
        for number, item in enumerate(items):
            subarrays = self.subarrays(item, False, scope)
            if subarrays:
                first = self.below(item, scope)
                rest = self.items(items[number + 1 :], scope, False) if at_top else ()
                body = Block(item.location, (first, *rest)) if rest else first
                found.append(_directive(item, subarrays, body))
                if at_top:
                    break
            else:
                found.append(self.statement(item, scope, False))
            scope = _with_declared((item,), scope)
            at_top = at_top and isinstance(item, Declare)
        return tuple(found)

    def subarrays(self, stmt: Stmt, is_inside: bool, scope: Scope) -> tuple[Subarray, ...]:
        """What a directive names in front of a loop, or at the top of its body."""
        if not isinstance(stmt, For):
            return ()
        made = (self.made(item, scope) for item in self.places.get(Anchor(stmt.location, is_inside), ()))
        return tuple(subarray for subarray in made if subarray is not None)

    def made(self, item: Proposed, scope: Scope) -> Subarray | None:
        """The subarray of a proposal in the names of a place; None if they mean something else there."""
        variable = next((each for each in self.region.variables if each.name == item.proposal.array), None)
        if variable is None or scope.get(user_name(variable.name), ("",))[0] != variable.name:
            return None
        used = {name for lower in item.proposal.lowers for name in lower.names}
        if any(user_name(name) not in scope for name in used):
            return None
        names = {name: scope[user_name(name)][0] for name in used}
        types = {name: ctype for name, ctype in scope.values() if is_integer(ctype)}
        if not set(names.values()) <= set(types):
            return None
        return subarray_of(item.proposal, variable, types, names, density=item.density)


def _with_declared(items: Sequence[Stmt], scope: Scope) -> Scope:
    """A scope with the variables that statements declare in it."""
    own = {user_name(item.name): (item.name, item.type) for item in items if isinstance(item, Declare)}
    return {**scope, **own} if own else scope


def _directive(stmt: Stmt, subarrays: tuple[Subarray, ...], body: Stmt) -> Cache:
    return Cache(stmt.location, subarrays, body, ", ".join(subarray.text for subarray in subarrays))
