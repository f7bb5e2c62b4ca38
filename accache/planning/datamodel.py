"""Which scalars and structures of a region live in device memory (OpenACC 3.3, section 2.6.2)."""

from __future__ import annotations

from accache.analysis.walk import assigned_variables, walk
from accache.ir.regions import Region
from accache.ir.tree import For, Variable
from accache.ir.types import Record, element_type, resolve


def memory_variables(region: Region) -> frozenset[str]:
    """The scalars and structures that all gangs share.

    These are scalars in a data clause here or around, scalars that a kernels region assigns, and structures in no
    clause that makes copies. All other scalars are firstprivate. Reduction variables and private ones are neither.
    """
    clauses = {
        clause.subarray.base.name
        for clause in (*region.enclosing_data, *region.data)
        if isinstance(clause.subarray.base, Variable)
    }
    specs = [node.loop for node in walk(region.body) if isinstance(node, For) and node.loop is not None]
    own = {item.name for item in (*region.private, *region.firstprivate)}
    own |= {item.variable for item in region.reductions} | {item.variable for spec in specs for item in spec.reductions}
    of_loops = {item.name for spec in specs for item in spec.private}
    assigned = assigned_variables(region.body) - of_loops if region.kind == "kernels" else frozenset()
    return frozenset(
        variable.name
        for variable in region.variables
        if variable.name not in own
        and (variable.name in clauses | assigned or isinstance(resolve(variable.type), Record))
        and element_type(variable.type) is None
    )
