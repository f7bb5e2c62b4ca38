"""Which scalars and structures of a region live in device memory (OpenACC 3.3, section 2.6.2)."""

from __future__ import annotations

from accache.ir.openacc.regions import Region
from accache.ir.tree import For, Stmt
from accache.ir.types import Record, element_type, resolve
from accache.ir.walk import assigned_variables, children, declared_variables, used_variables


def memory_variables(region: Region) -> frozenset[str]:
    """The scalars and structures that all gangs share.

    These are scalars in a data clause here or around, scalars that a kernels region assigns or that may be present
    there, and structures in no clause that makes copies. All other scalars are firstprivate. Reduction variables of
    the construct and private ones are neither.
    """
    clauses = {clause.subarray.variable for clause in (*region.enclosing_data, *region.data)}
    own = {item.name for item in (*region.private, *region.firstprivate)}
    own |= {item.variable for item in region.reductions}
    own |= declared_variables(region.body)  # loops have taken their counters for themselves
    is_kernels = region.kind == "kernels"
    assigned = assigned_beside_private(region.body) if is_kernels else frozenset()
    return frozenset(
        variable.name
        for variable in region.variables
        if variable.name not in own
        and (
            variable.name in clauses | assigned
            or isinstance(resolve(variable.type), Record)
            or (is_kernels and variable.may_be_present)
        )
        and element_type(variable.type) is None
    )


def is_used_beside_private(stmt: Stmt, name: str) -> bool:
    """Whether a statement uses a variable elsewhere than in loops that have one of their own in its place."""
    is_own = isinstance(stmt, For) and stmt.loop is not None and any(item.name == name for item in stmt.loop.private)
    return any(
        is_used_beside_private(part, name) if isinstance(part, Stmt) else name in used_variables(part)
        for part in children(stmt)
        if not (is_own and isinstance(stmt, For) and part is stmt.body)
    )


def assigned_beside_private(stmt: Stmt) -> frozenset[str]:
    """The variables that a statement assigns, those left out that are private to the loops that do."""
    parts = (
        assigned_beside_private(part) if isinstance(part, Stmt) else assigned_variables(part) for part in children(stmt)
    )
    inside = frozenset[str]().union(*parts)
    private = stmt.loop.private if isinstance(stmt, For) and stmt.loop is not None else ()
    return inside - {item.name for item in private}
