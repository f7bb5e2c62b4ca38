"""What data clauses may name: sections of known size, in one place in memory or in rows that pointers lead to."""

from __future__ import annotations

from msgspec.structs import replace

from accache.base.diagnostics import Reporter
from accache.ir.arrays import is_unbounded
from accache.ir.openacc.regions import DataClause, Dimension, Region
from accache.ir.openacc.sections import (
    POINTER_ALONE,
    SIZED,
    is_part_of_one_row,
    is_pointer_alone,
    partial_dimension,
    unproved_lengths,
)
from accache.ir.tree import Unary, Variable
from accache.ir.types import Array, CType, Pointer, element_type, resolve
from accache.ir.walk import assigned_variables, used_variables, walk

HOSTS = ("data", "declare", "enter data", "exit data")
"""The directives on which a pointer variable alone is data of its own; kernels get its value."""
POINTERS = ("attach", "detach", "deviceptr", "use_device")


def check_sections(clauses: tuple[DataClause, ...], reporter: Reporter, *, kind: str) -> None:
    """Report what the clauses of a directive of some kind cannot name."""
    for clause in clauses:
        if clause.action in POINTERS:
            _check_pointer(clause, reporter)
        else:
            _check_lengths(clause, reporter, kind)
            _check_contiguity(clause, reporter, kind)


def _check_pointer(clause: DataClause, reporter: Reporter) -> None:
    """``attach`` and its kin name a pointer, deviceptr and use_device a variable."""
    subarray = clause.subarray
    plain = resolve(subarray.base.type)
    fits = isinstance(plain, Pointer) or (isinstance(plain, Array) and clause.action == "use_device")
    what = "a pointer"
    if clause.action in ("deviceptr", "use_device"):
        what = "a pointer variable" if clause.action == "deviceptr" else "an array or of a pointer variable"
        fits = fits and isinstance(subarray.base, Variable)
    if not fits or (subarray.dimensions and clause.action != "deviceptr"):
        reporter.report("ACC247", clause.location, name=subarray.text, clause=clause.action, what=what)


def with_pointers_alone(region: Region, reporter: Reporter) -> Region:
    """A compute construct whose kernels get the pointers that ``copyin`` and ``copy`` name without a range (ACC253).

    Such a pointer leads to the device copy of its target if there is one, as that of a ``no_create`` clause does; else
    it is the program's own address of device memory, as the run makes sure where kernels use it. One that a kernel
    changes, or whose address it takes, would be a variable in device memory: it stays as it is.
    """
    used = used_variables(region.body)
    changed = assigned_variables(region.body) | frozenset(
        node.operand.name
        for node in walk(region.body)
        if isinstance(node, Unary) and node.op == "&" and isinstance(node.operand, Variable)
    )
    data: list[DataClause] = []
    for clause in region.data:
        is_value = clause.action in ("copy", "copyin") and is_pointer_alone(clause.subarray)
        if is_value and clause.subarray.variable not in changed:
            name = clause.subarray.text
            reporter.report("ACC253", clause.location, clause=clause.action, name=name)
            clause = replace(
                clause, action="no_create", modifiers=(POINTER_ALONE,) if clause.subarray.variable in used else ()
            )
        data.append(clause)
    return replace(region, data=tuple(data))


def _check_lengths(clause: DataClause, reporter: Reporter, kind: str) -> None:
    """A pointer does not know how much it points to, nor a declaration without a length how long the array is."""
    if clause.action in SIZED and kind in HOSTS and is_pointer_alone(clause.subarray):
        name = clause.subarray.text
        reporter.report("ACC253", clause.location, clause=clause.action, name=name)
        return
    ctype: CType | None = clause.subarray.base.type
    dimensions = clause.subarray.dimensions
    needed = clause.action in SIZED or len(dimensions) > 1
    for number in range(max(1, len(dimensions))):
        missing = number >= len(dimensions) or dimensions[number].length is None
        if missing and needed and ctype is not None and is_unbounded(ctype):
            name = clause.subarray.text
            before = name if number >= len(dimensions) else "[".join(name.split("[")[: number + 1])
            reporter.report("ACC246", clause.location, name=name, before=before)
            return
        ctype = element_type(ctype) if ctype is not None else None


def _check_contiguity(clause: DataClause, reporter: Reporter, kind: str) -> None:
    """Only update takes parts of several rows; others take the part of one row.

    Lengths that only a run knows are compared there.
    """
    ctype, dimensions = clause.subarray.base.type, clause.subarray.dimensions
    is_one_piece = is_part_of_one_row(ctype, dimensions) or unproved_lengths(ctype, dimensions) is not None
    is_fine = kind == "update" or is_one_piece
    if not _fits(ctype, dimensions) or not is_fine:
        reporter.report("ACC245", clause.location, name=clause.subarray.text)


def _fits(ctype: CType, dimensions: tuple[Dimension, ...]) -> bool:
    """Whether dimensions are those of an array in one place, or of pointers to whole rows of which the same is true."""
    row = element_type(ctype)
    if len(dimensions) < 2:
        return True
    if row is not None and isinstance(resolve(row), Pointer):
        return not partial_dimension(row, dimensions[1:]) and _fits(row, dimensions[1:])
    for _ in dimensions[1:]:
        plain = resolve(row) if row is not None else None
        if not isinstance(plain, Array):
            return False
        row = plain.element
    return True
