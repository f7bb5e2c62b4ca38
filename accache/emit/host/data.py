"""Data clauses as runtime calls: those of regions, of enter data and exit data, and of update."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from accache.emit.expressions import LEVELS
from accache.emit.sections import Mapped, SectionPrinter, is_constant, memory, quoted, row_index
from accache.ir.arrays import is_unbounded
from accache.ir.constants import constant
from accache.ir.openacc.members import has_members_beside, structure_of
from accache.ir.openacc.regions import DataClause, DataConstruct, DefaultWord, Dimension, FreeVariable, Subarray
from accache.ir.openacc.sections import (
    POINTER_ALONE,
    SIZED,
    is_one,
    is_part_of_one_row,
    is_pointer_alone,
    partial_dimension,
    unproved_lengths,
)
from accache.ir.tree import Expr, Member, Variable
from accache.ir.types import CType, Pointer, element_type, resolve
from accache.ir.walk import walk

ACTIONS = {
    "copy": "ACCACHE_COPY", "copyin": "ACCACHE_COPYIN", "copyout": "ACCACHE_COPYOUT", "create": "ACCACHE_CREATE",
    "present": "ACCACHE_PRESENT", "no_create": "ACCACHE_NO_CREATE", "delete": "ACCACHE_DELETE",
}  # fmt: skip
MODIFIERS = {
    ("copy", "always"): ("ACCACHE_ALWAYS_IN", "ACCACHE_ALWAYS_OUT"),
    ("copyin", "always"): ("ACCACHE_ALWAYS_IN",),
    ("copyout", "always"): ("ACCACHE_ALWAYS_OUT",),
}
MODIFIERS |= {(action, "alwaysin"): ("ACCACHE_ALWAYS_IN",) for action in ("copy", "copyin")}
MODIFIERS |= {(action, "alwaysout"): ("ACCACHE_ALWAYS_OUT",) for action in ("copy", "copyout")}
MODIFIERS |= {(action, "zero"): ("ACCACHE_ZERO",) for action in ("copyout", "create")}
MODIFIERS |= {("no_create", POINTER_ALONE): ("ACCACHE_DEVICE_MEMORY",)}
"""What a modifier adds to an action; all others change nothing where the device has a memory of its own."""
TABLES = {"present": "ACCACHE_PRESENT", "no_create": "ACCACHE_NO_CREATE"}
"""What becomes of the pointers to rows; for other clauses they are copied in."""


def nothing(*_: object) -> list[str]:
    """What prints nothing."""
    return []


class Visit(Struct, frozen=True):
    """What to print for each part of a section.

    ``leaf`` gets an array and its part in one place, ``table`` the same of pointers to rows, ``pointer`` one of these.
    Pointers come after what they point to, or before it when data is ``leaving``.
    """

    leaf: Callable[[str, Mapped], list[str]]
    table: Callable[[str, Mapped], list[str]] = nothing
    pointer: Callable[[str], list[str]] = nothing
    leaving: bool = False


def is_pointer_in_memory(subarray: Subarray) -> bool:
    """Whether a clause names the target of a pointer that is itself part of something that may be on the device."""
    return not isinstance(subarray.base, Variable) and isinstance(resolve(subarray.base.type), Pointer)


def member_depth(subarray: Subarray) -> int:
    """How many members of structures lead to what a clause names; what holds a pointer is mapped before its target."""
    return sum(isinstance(node, Member) for node in walk(subarray.base))


class DataPrinter(SectionPrinter, frozen=True):
    """Prints data clauses, for host code or for a launch stub."""

    def action(self, clause: DataClause) -> str:
        """The runtime's constants for a clause."""
        added = (flag for modifier in clause.modifiers for flag in MODIFIERS.get((clause.action, modifier), ()))
        return " | ".join([ACTIONS[clause.action], *added])

    def device_address(
        self,
        variable: FreeVariable,
        ctype: CType,
        clause: DataClause | None,
        cast: str,
        *,
        default: DefaultWord | Literal["part"],
    ) -> str:
        """The expression for a variable's device address in a stub.

        Without a clause it is as ``default`` says: ``present``, or ``part`` where a section of it may be present.
        """
        name = self.printer.name(variable.name)
        label = quoted(name)
        if clause is not None and clause.action == "deviceptr":
            return name
        if clause is not None:
            rows = self.rows(name, ctype, clause.subarray.dimensions)
            part = self.section(clause.subarray)
            action = self.action(clause) if rows is None else TABLES.get(clause.action, "ACCACHE_COPYIN")
            mapped = f"accache_map({action}, {part.host}, {part.size}, {label}, {part.element})"
            if part.unit:
                return f"({cast})({part.address(mapped, '-')})"
            return f"({cast}){mapped}" + (f" - {part.offset}" if part.offset else "")
        host = memory(name, element_type(ctype) or ctype)
        if is_unbounded(ctype) or default == "present":
            return f"({cast})accache_device_pointer({host}, {label})"
        size, single = self.whole(ctype, name), self.element_size(ctype, name)
        action = "ACCACHE_COPYIN" if is_constant(ctype) else "ACCACHE_COPY"
        if default == "part":
            action += " | ACCACHE_PART"
        return f"({cast})accache_map({action}, {host}, {size}, {label}, {single})"

    def visit(
        self, visit: Visit, base: str, ctype: CType, dimensions: tuple[Dimension, ...], *, depth: int = 0
    ) -> list[str]:
        """The statements for a section of what ``base`` prints; loops where it consists of rows."""
        rows = self.rows(base, ctype, dimensions, depth)
        if rows is None:
            return visit.leaf(base, self.part(base, ctype, dimensions))
        inner = self.visit(visit, rows.pointer, rows.type, rows.dimensions, depth=depth + 1)
        pointer, table = visit.pointer(memory(f"&{rows.pointer}", rows.type)), visit.table(base, rows.table)
        loop = self.loop(rows.index, rows.count, [*pointer, *inner] if visit.leaving else [*inner, *pointer])
        return [*loop, *table] if visit.leaving else [*table, *loop]

    @staticmethod
    def loop(index: str, count: str, body: list[str]) -> list[str]:
        """A loop over all rows."""
        head = f"for (size_t {index} = 0; {index} < (size_t){count}; ++{index}) {{"
        return [head, *(f"    {line}" for line in body), "}"]

    def item(self, visit: Visit, subarray: Subarray) -> list[str]:
        """The statements for an item of a data clause."""
        base = self.printer.expression(subarray.base, LEVELS["postfix"])
        lines = [*self.contiguity(subarray), *self.visit(visit, base, subarray.base.type, subarray.dimensions)]
        if not is_pointer_in_memory(subarray):
            return lines
        pointer = visit.pointer(memory(f"&{base}", subarray.base.type))
        return [*pointer, *lines] if visit.leaving else [*lines, *pointer]

    def named(self, visit: Visit, clause: DataClause) -> list[str]:
        """The statements for what a clause names: the bytes of a pointer that stands there alone, or a section."""
        if self.in_stub or clause.action not in SIZED or not is_pointer_alone(clause.subarray):
            return self.item(visit, clause.subarray)
        base = self.printer.expression(clause.subarray.base, LEVELS["postfix"])
        address = self.address(clause.subarray)
        return visit.leaf(base, Mapped(address, f"sizeof {base}", f"sizeof {base}", ""))

    def contiguity(self, subarray: Subarray) -> list[str]:
        """The statement that ends a run in which a section would name parts of rows; none where that is known."""
        ctype, dimensions = subarray.base.type, subarray.dimensions
        if is_part_of_one_row(ctype, dimensions):
            return []
        lengths = unproved_lengths(ctype, dimensions)
        if not lengths:
            return []
        base = self.printer.expression(subarray.base, LEVELS["postfix"])
        whole = " && ".join(self.equality(base, *item) for item in lengths)
        place = f"{quoted(subarray.location.file)}, {subarray.location.line}"
        return [f"accache_contiguous({whole}, {quoted(subarray.text)}, {place});"]

    def equality(self, base: str, number: int, asked: Expr, extent: Expr) -> str:
        """The comparison of a length with an array's own; a variable that the latter names may have changed since."""
        if self.in_stub or constant(extent) is not None:
            asked_text, whole = (self.printer.expression(length, LEVELS["=="] + 1) for length in (asked, extent))
            return f"{asked_text} == {whole}"
        row = base + "[0]" * number
        return f"(size_t){self.printer.expression(asked, LEVELS['unary'])} == sizeof {row} / sizeof {row}[0]"

    def structure(self, subarray: Subarray) -> list[str]:
        """The statement that names the structure of which a clause names a member; none for other clauses."""
        found = structure_of(subarray)
        if found is None:
            return []
        if self.in_stub:
            name = self.printer.name(found.name)
            return [f"accache_structure({memory(name, found.type)}, sizeof *{name});"]
        name = self.printer.expression(found, LEVELS["unary"])
        return [f"accache_structure({memory(f'&{name}', found.type)}, sizeof {name});"]

    def member(self, clause: DataClause) -> list[str]:
        """The same in front of the call that maps a member; what a pointer leads to is none."""
        is_made = clause.action in SIZED and not is_pointer_in_memory(clause.subarray)
        return self.structure(clause.subarray) if is_made else []

    def pointer_beside(self, clause: DataClause, clauses: Iterable[DataClause]) -> list[str]:
        """The statement in front of a call that maps the pointer which a clause names for what it leads to.

        The pointer has a place where further members of its structure have one; else the structure has, as a whole.
        """
        subarray = clause.subarray
        if not is_pointer_in_memory(subarray) or not has_members_beside(subarray, clauses):
            return []
        return self.structure(subarray)

    def mapped(self, clause: DataClause, clauses: Sequence[DataClause] = ()) -> list[str]:
        """The statements for a clause of a region, beside others."""
        if clause.action == "attach":
            return [f"accache_attach({self.address(clause.subarray)});"]
        lines = self.pointer_beside(clause, clauses)
        if lines:
            base = self.printer.expression(clause.subarray.base, LEVELS["postfix"])
            size, label = f"sizeof {base}", quoted(clause.subarray.name)
            lines.append(f"accache_map(ACCACHE_COPYIN, {self.address(clause.subarray)}, {size}, {label}, {size});")
        return [*lines, *self.member(clause), *self.named(self.mapping(clause), clause)]

    def mapping(self, clause: DataClause) -> Visit:
        """What a region does with the parts of a clause's section."""
        label = quoted(clause.subarray.name)

        def call(action: str, part: Mapped) -> str:
            return f"accache_map({action}, {part.host}, {part.size}, {label}, {part.element});"

        return Visit(
            lambda array, part: [call(self.action(clause), part), *self.stand_in(array, part)],
            lambda array, part: [call(TABLES.get(clause.action, "ACCACHE_COPYIN"), part), *self.stand_in(array, part)],
            lambda pointer: [f"accache_attach({pointer});"],
        )

    def rows_mapped(self, clause: DataClause) -> list[str]:
        """The statements of a stub for what the pointers in a clause's section lead to; these are mapped already."""
        base = self.printer.expression(clause.subarray.base, LEVELS["postfix"])
        if self.rows(base, clause.subarray.base.type, clause.subarray.dimensions) is None:
            return []
        return self.item(replace(self.mapping(clause), table=nothing), clause.subarray)

    def address(self, subarray: Subarray) -> str:
        """The address of the pointer that a clause names."""
        return memory(f"&{self.printer.expression(subarray.base, LEVELS['unary'])}", subarray.base.type)

    @staticmethod
    def stand_in(array: str, part: Mapped) -> list[str]:
        """The statement that lets an array's address stand for a section that does not begin with the array."""
        return [f"accache_array({array}, {part.host});"] if part.offset else []

    def executable(self, construct: DataConstruct, clause: DataClause, place: str) -> list[str]:
        """The statements for one clause of enter data, exit data or update."""
        if construct.kind == "enter data":
            return self.entered(clause, construct.data, place)
        if construct.kind == "exit data":
            return self.exited(clause, int(construct.finalize), place)
        return self.updated(clause, int(construct.if_present), place)

    def entered(self, clause: DataClause, clauses: Sequence[DataClause], place: str) -> list[str]:
        """The statements for a clause of enter data."""
        if clause.action == "attach":
            return [f"accache_enter_attach({self.address(clause.subarray)}, {place});"]
        label = quoted(clause.subarray.name)

        def call(action: str, part: Mapped) -> str:
            return f"accache_enter_data({action}, {part.host}, {part.size}, {label}, {part.element}, {place});"

        visit = Visit(
            lambda array, part: [call(self.action(clause), part), *self.stand_in(array, part)],
            lambda array, part: [call("ACCACHE_COPYIN", part), *self.stand_in(array, part)],
            lambda pointer: [f"accache_enter_attach({pointer}, {place});"],
        )
        lines = [*self.member(clause), *self.pointer_beside(clause, clauses)]
        if self.is_pointer_in_structure(clause.subarray):
            lines.append(f"accache_enter_pointer({self.address(clause.subarray)}, {label}, {place});")
        return [*lines, *self.named(visit, clause)]

    @staticmethod
    def is_pointer_in_structure(subarray: Subarray) -> bool:
        """Whether a clause names the target of a pointer that is a member of a variable."""
        return is_pointer_in_memory(subarray) and structure_of(subarray) is not None

    def exited(self, clause: DataClause, finalize: int, place: str) -> list[str]:
        """The statements for a clause of exit data."""
        if clause.action == "detach":
            return [f"accache_exit_detach({self.address(clause.subarray)}, {finalize}, {place});"]
        label = quoted(clause.subarray.name)
        if clause.action == "delete" and is_pointer_alone(clause.subarray):
            target = memory(clause.subarray.name, element_type(clause.subarray.base.type) or clause.subarray.base.type)
            pointers = f"{self.address(clause.subarray)}, {target}"
            return [f"accache_exit_pointer({finalize}, {pointers}, {label}, {place});"]

        def call(action: str, part: Mapped) -> str:
            return f"accache_exit_data({action}, {finalize}, {part.host}, {part.size}, {label}, {place});"

        visit = Visit(
            lambda _, part: [call(self.action(clause), part)],
            lambda _, part: [call("ACCACHE_DELETE", part)],
            lambda pointer: [f"accache_exit_detach({pointer}, {finalize}, {place});"],
            leaving=True,
        )
        lines = self.named(visit, clause)
        if self.is_pointer_in_structure(clause.subarray):
            lines.append(f"accache_leave_pointer({finalize}, {self.address(clause.subarray)}, {label}, {place});")
        return lines

    def updated(self, clause: DataClause, if_present: int, place: str) -> list[str]:
        """The statements for a clause of update."""
        subarray, to_device = clause.subarray, clause.action == "device"
        rest = f"{if_present}, {quoted(subarray.name)}, {place}"
        base = self.printer.expression(subarray.base, LEVELS["postfix"])
        last = partial_dimension(subarray.base.type, subarray.dimensions)
        if last and not all(map(is_one, subarray.dimensions[:last])):
            dimensions = subarray.dimensions[: last + 1]
            return self.strided(
                base, subarray.base.type, dimensions, f"accache_update_rows({int(to_device)}", rest=rest
            )
        side = "device" if to_device else "host"
        visit = Visit(lambda _, part: [f"accache_update_{side}({part.host}, {part.size}, {rest});"])
        return self.visit(visit, base, subarray.base.type, subarray.dimensions)

    def strided(self, base: str, ctype: CType, dimensions: tuple[Dimension, ...], call: str, *, rest: str) -> list[str]:
        """Calls for rows that do not follow on each other; ``dimensions`` end with that of the row's own elements."""
        extents = self.extents(ctype, dimensions)
        first, element = base, f"{base}{'[0]' * len(dimensions)}"
        indices = [row_index(depth) for depth in range(len(dimensions) - 2)]
        for dimension, index in zip(dimensions, indices, strict=False):
            lower = self.lower(dimension)
            first += f"[{lower} + {index}]" if lower else f"[{index}]"
        first += f"[{self.lower(dimensions[-2]) or 0}]"
        lower = self.lower(dimensions[-1])
        width, pitch = self.times(extents[-1], f"sizeof {element}"), f"sizeof {element.removesuffix('[0]')}"
        lines = [f"{call}, {first}{f' + {lower}' if lower else ''}, {width}, {extents[-2]}, {pitch}, {rest});"]
        for index, extent in zip(reversed(indices), reversed(extents[:-2]), strict=True):
            lines = self.loop(index, extent, lines)
        return lines
