"""Data clauses and directives as runtime calls."""

from __future__ import annotations

from dataclasses import dataclass

from accache.analysis.affine import index_polynomial
from accache.diagnostics import Reporter
from accache.emit.printer import LEVELS, Printer, inner_lengths, is_variable_length
from accache.ir.polynomial import Polynomial
from accache.ir.regions import DataClause, DataConstruct, FreeVariable, Subarray, Wait
from accache.ir.tree import Expr, Variable
from accache.ir.types import Array, CType, Pointer, element_type, resolve

ACTIONS = {
    "copy": "ACCACHE_COPY", "copyin": "ACCACHE_COPYIN", "copyout": "ACCACHE_COPYOUT", "create": "ACCACHE_CREATE",
    "present": "ACCACHE_PRESENT", "no_create": "ACCACHE_NO_CREATE", "delete": "ACCACHE_DELETE",
}  # fmt: skip
SELECTING = ("init", "shutdown", "set")
UPLOADS_FIRST = ("copy", "copyin", "present", "no_create", "create", "copyout", "deviceptr")


def quoted(text: str) -> str:
    """A C string constant."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


@dataclass(frozen=True)
class Mapped:
    """A data clause's section as C texts: first byte, bytes, element size, offset of the first element."""

    host: str
    size: str
    element: str
    offset: str


@dataclass(frozen=True)
class DataPrinter:
    """Prints data clauses, for host code or for a launch stub."""

    printer: Printer
    in_stub: bool = False

    def action(self, name: str) -> str:
        """The runtime's constant for a clause."""
        return ACTIONS[name]

    def section(self, subarray: Subarray) -> Mapped:
        """The memory a clause names; inner dimensions are whole (checked by check_sections)."""
        base = self.printer.expression(subarray.base, LEVELS["postfix"])
        ctype = subarray.base.type
        element = element_type(ctype)
        if element is None:
            return Mapped(f"&{base}", f"sizeof {base}", f"sizeof {base}", "")
        row = self.row_size(ctype, base)
        whole = self.whole(ctype, base) if isinstance(resolve(ctype), Array) else "ACCACHE_WHOLE"
        single = self.element_size(ctype, base)
        if not subarray.dimensions:
            return Mapped(base, whole, single, "")
        first = subarray.dimensions[0]
        lower = self.printer.expression(first.lower, LEVELS["+"] + 1) if first.lower is not None else ""
        lower = "" if lower == "0" else lower
        offset = f"({lower}) * ({self.row_elements(ctype)})" if lower and self.is_flat(ctype) else lower
        host = f"{base} + {offset}" if offset else base
        if first.length is not None:
            length = self.printer.expression(first.length, LEVELS["unary"])
            size = row if length == "1" else f"{length} * {row}" if length.isdigit() else f"(size_t){length} * {row}"
        else:
            size = f"{whole} - {lower} * {row}" if lower and whole != "ACCACHE_WHOLE" else whole
        return Mapped(host, size, single, offset)

    def is_flat(self, ctype: CType) -> bool:
        """Whether a stub sees the array as a pointer to single elements: its inner dimensions are no constants."""
        return self.in_stub and is_variable_length(ctype)

    def row_elements(self, ctype: CType) -> str:
        """Elements of one row: the product of the inner dimensions."""
        lengths = [self.printer.expression(length, LEVELS["unary"]) for length in inner_lengths(ctype)]
        return " * ".join([f"(size_t){lengths[0]}", *lengths[1:]]) if lengths else "1"

    def row_size(self, ctype: CType, base: str) -> str:
        """Bytes of one element of the first dimension."""
        if not self.is_flat(ctype):
            return f"sizeof *{base}"
        return f"{self.row_elements(ctype)} * sizeof *{base}"

    def element_size(self, ctype: CType, base: str) -> str:
        """Bytes of a single element, all dimensions taken off."""
        stars = "*" * (1 if self.is_flat(ctype) else len(inner_lengths(ctype)) + 1)
        return f"sizeof {stars}{base}"

    def device_address(
        self, variable: FreeVariable, ctype: CType, clause: DataClause | None, cast: str, default: str
    ) -> str:
        """The expression for a variable's device address in a stub."""
        name = self.printer.name(variable.name)
        label = quoted(name)
        if clause is not None and clause.action == "deviceptr":
            return name
        if clause is not None:
            part = self.section(clause.subarray)
            action = self.action(clause.action)
            mapped = f"accache_map({action}, {part.host}, {part.size}, {label}, {part.element})"
            return f"({cast}){mapped}" + (f" - {part.offset}" if part.offset else "")
        if isinstance(resolve(ctype), Pointer) or default == "present":
            return f"({cast})accache_device_pointer({name}, {label})"
        size, single = self.whole(ctype, name), self.element_size(ctype, name)
        action = "ACCACHE_COPYIN" if is_constant(ctype) else "ACCACHE_COPY"
        return f"({cast})accache_map({action}, {name}, {size}, {label}, {single})"

    def whole(self, ctype: CType, name: str) -> str:
        """The size in bytes of a whole array; in a stub, which sees a pointer, spelled out."""
        if not self.in_stub:
            return f"sizeof {name}"
        plain = resolve(ctype)
        lengths = []
        last: CType = plain
        while isinstance(plain, Array):
            lengths.append(f"(size_t){self.printer.expression(plain.length, LEVELS['unary'])}" if plain.length else "0")
            last = plain.element
            plain = resolve(plain.element)
        return " * ".join([*lengths, f"sizeof({self.printer.type(last)})"])

    def directive(self, construct: DataConstruct) -> list[str]:
        """The statements of an executable data directive or of a data region's entry."""
        place = f"{quoted(construct.location.file)}, {construct.location.line}"
        ordered = sorted(
            construct.data,
            key=lambda clause: UPLOADS_FIRST.index(clause.action) if clause.action in UPLOADS_FIRST else 9,
        )
        if construct.kind == "declare":
            return self.declared(ordered, construct, place)
        if construct.kind in SELECTING:
            calls = {"init": self.init, "shutdown": self.shutdown, "set": self.set}[construct.kind](construct)
            return [f"accache_at({place});", *calls]
        waits = self.waits(construct.waits, construct.queue, place)
        queue = self.printer.expression(construct.queue) if construct.queue is not None else ""
        if construct.kind == "data":
            calls = [self.map_call(clause) for clause in ordered if clause.action != "deviceptr"]
            return [f"accache_data_begin({place});", *waits, *([f"accache_async({queue});"] if queue else []), *calls]
        calls = [self.executable(construct, clause, place) for clause in ordered]
        if queue and calls:
            calls = [f"accache_async_begin({queue}, {place});", *calls, "accache_async_end();"]
        return [*waits, *calls]

    def waits(self, waits: tuple[Wait, ...], queue: Expr | None, place: str) -> list[str]:
        """The statements that let a queue, or the host if it is None, wait for others."""
        waiting = self.printer.expression(queue) if queue is not None else "ACCACHE_SYNC"
        lines = []
        for wait in waits:
            device = self.printer.expression(wait.device) if wait.device is not None else "-1"
            queues = [self.printer.expression(item) for item in wait.queues] or ["ACCACHE_ALL_QUEUES"]
            lines += [f"accache_wait_for({item}, {device}, {waiting}, {place});" for item in queues]
        return lines

    def declared(self, clauses: list[DataClause], construct: DataConstruct, place: str) -> list[str]:
        """The statements of a declare directive: device copies until the function returns or the program ends."""
        lasting = []
        for clause in clauses:
            if clause.lasting:
                part, label = self.section(clause.subarray), quoted(clause.subarray.name)
                values = f"{self.action(clause.action)}, {part.host}, {part.size}, {label}, {part.element}"
                lasting.append(f"accache_declare({values}, {place});")
        calls = [self.map_call(clause) for clause in clauses if not clause.lasting and clause.action != "deviceptr"]
        if not calls:
            return lasting
        leave = f"ACCACHE_UNTIL_RETURN(declared_L{construct.location.line});"
        return [*lasting, f"accache_data_begin({place});", *calls, leave]

    def init(self, construct: DataConstruct) -> list[str]:
        """The calls of an init directive."""
        types = construct.device_types or ("acc_device_current",)
        if construct.device is None:
            return [f"acc_init({name});" for name in types]
        return [f"acc_init_device({self.printer.expression(construct.device)}, {name});" for name in types]

    def shutdown(self, construct: DataConstruct) -> list[str]:
        """The calls of a shutdown directive; without a device_type it is for every device that can be shut down."""
        types = construct.device_types or ("acc_device_not_host",)
        if construct.device is None:
            return [f"acc_shutdown({name});" for name in types]
        return [f"acc_shutdown_device({self.printer.expression(construct.device)}, {name});" for name in types]

    def set(self, construct: DataConstruct) -> list[str]:
        """The calls of a set directive."""
        if construct.device is not None:
            number = self.printer.expression(construct.device)
            types = construct.device_types or ("acc_device_current",)
            calls = [f"acc_set_device_num({number}, {name});" for name in types]
        else:
            calls = [f"acc_set_device_type({name});" for name in construct.device_types]
        if construct.queue is not None:
            calls.append(f"acc_set_default_async({self.printer.expression(construct.queue)});")
        return calls

    def map_call(self, clause: DataClause) -> str:
        """One clause of a data region."""
        part = self.section(clause.subarray)
        label = quoted(clause.subarray.name)
        return f"accache_map({self.action(clause.action)}, {part.host}, {part.size}, {label}, {part.element});"

    def executable(self, construct: DataConstruct, clause: DataClause, place: str) -> str:
        """One clause of enter data, exit data or update."""
        part = self.section(clause.subarray)
        label = quoted(clause.subarray.name)
        if construct.kind == "enter data":
            action = self.action(clause.action)
            return f"accache_enter_data({action}, {part.host}, {part.size}, {label}, {part.element}, {place});"
        if construct.kind == "exit data":
            action = self.action(clause.action)
            return (
                f"accache_exit_data({action}, {int(construct.finalize)}, {part.host}, {part.size}, {label}, {place});"
            )
        side = "device" if clause.action == "device" else "host"
        return f"accache_update_{side}({part.host}, {part.size}, {int(construct.if_present)}, {label}, {place});"


def is_constant(ctype: CType) -> bool:
    """Whether an array's elements are const, so that nothing may be copied back to them."""
    element: CType | None = ctype
    constant = False
    while element is not None and isinstance(resolve(element), (Array, Pointer)):
        element = element_type(element)
        constant = constant or bool(getattr(element, "const", False))
    return constant


def check_sections(clauses: tuple[DataClause, ...], reporter: Reporter) -> None:
    """Report sections that are not contiguous or have no known size, and members of structures."""
    for clause in clauses:
        subarray = clause.subarray
        if not isinstance(subarray.base, Variable):
            reporter.report("ACC247", clause.location, name=subarray.text)
            continue
        ctype = resolve(subarray.base.type)
        needs_size = clause.action in ("copy", "copyin", "copyout", "create")
        if (
            isinstance(ctype, Pointer)
            and needs_size
            and (not subarray.dimensions or subarray.dimensions[0].length is None)
        ):
            reporter.report("ACC246", clause.location, name=subarray.text)
        inner = element_type(subarray.base.type)
        for dimension in subarray.dimensions[1:]:
            plain = resolve(inner) if inner is not None else None
            if not isinstance(plain, Array) or not _is_whole(dimension.lower, dimension.length, plain.length):
                reporter.report("ACC245", clause.location, name=subarray.text)
                break
            inner = plain.element


def _is_whole(lower: Expr | None, length: Expr | None, extent: Expr | None) -> bool:
    starts = lower is None or index_polynomial(lower) == Polynomial.constant(0)
    if length is None:
        return starts
    asked = index_polynomial(length)
    return starts and extent is not None and asked is not None and asked == index_polynomial(extent)
