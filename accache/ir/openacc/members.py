"""Structures of which only members are on the device: what clauses name of them, and what kernels use."""

from __future__ import annotations

from collections.abc import Iterable

from accache.ir.openacc.regions import DataClause, Region, Subarray
from accache.ir.tree import Expr, Member, Stmt, Subscript, Variable
from accache.ir.types import Array, Pointer, Record, resolve
from accache.ir.walk import children


def are_members_named(region: Region, name: str) -> bool:
    """Whether clauses of a region, or of data constructs around it, name each member that it uses of a structure.

    Then the device needs no copy of the whole structure.
    """
    clauses = (*region.enclosing_data, *region.data)
    named = {path for clause in clauses if (path := _path(clause.subarray.base, name))}
    used = set(_used(region.body, name))
    return bool(named) and all(any(path[: len(part)] == part for part in named) for path in used)


def structure_of(subarray: Subarray) -> Variable | None:
    """The structure that a clause names a member of, or what a pointer in it leads to; None if it is no variable."""
    place: Expr = subarray.base
    is_member = False
    while not isinstance(place, Variable):
        if isinstance(place, Member) and not place.arrow:
            is_member = True
        elif not isinstance(place, Subscript) or not isinstance(resolve(place.base.type), Array):
            return None
        place = place.base
    return place if is_member and isinstance(resolve(place.type), Record) else None


def has_members_beside(subarray: Subarray, clauses: Iterable[DataClause]) -> bool:
    """Whether clauses name members of the structure that one names a member of, and not all of it.

    Where they name nothing but what pointers in it lead to, nothing of the structure itself is brought to the device.
    """
    structure = structure_of(subarray)
    if structure is None:
        return False
    inside = (clause.subarray.base for clause in clauses if not isinstance(resolve(clause.subarray.base.type), Pointer))
    paths = {_path(base, structure.name) for base in inside} - {None}
    return bool(paths) and () not in paths


def _used(node: Stmt | Expr, name: str) -> list[tuple[str, ...]]:
    """The members of a variable that text uses, each as the names that lead to it; the variable itself is ()."""
    path = _path(node, name) if isinstance(node, Expr) else None
    if path is not None:
        return [path, *(found for part in _indices(node) for found in _used(part, name))]
    return [found for child in children(node) for found in _used(child, name)]


def _path(expr: Stmt | Expr, name: str) -> tuple[str, ...] | None:
    """The names of the members that lead from a variable to a place in it; None if it is no such place."""
    if isinstance(expr, Variable):
        return () if expr.name == name else None
    if isinstance(expr, Subscript):
        return _path(expr.base, name)
    if isinstance(expr, Member) and not expr.arrow:
        inner = _path(expr.base, name)
        return None if inner is None else (*inner, expr.field)
    return None


def _indices(node: Stmt | Expr) -> list[Expr]:
    """The subscripts in a place."""
    if isinstance(node, Subscript):
        return [node.index, *_indices(node.base)]
    return _indices(node.base) if isinstance(node, Member) else []
