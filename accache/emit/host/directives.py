"""Directives for the host as C statements."""

from __future__ import annotations

from accache.emit.host.data import DataPrinter, member_depth
from accache.emit.sections import memory, quoted
from accache.ir.openacc.regions import DataClause, DataConstruct, Wait
from accache.ir.tree import Expr, Variable
from accache.ir.types import Array, CType, Pointer, element_type, resolve

SELECTING = ("init", "shutdown", "set")
UPLOADS_FIRST = ("copy", "copyin", "present", "no_create", "create", "copyout", "deviceptr")


class DirectivePrinter(DataPrinter, frozen=True):
    """Prints directives for host code."""

    def around(self, construct: DataConstruct, condition: str) -> tuple[list[str], list[str]]:
        """The statements in front of a structured block and behind it."""
        if construct.kind == "host_data":
            return self.host_data(construct, condition)
        lines = self.directive(construct)
        if condition and len(lines) > 1:
            lines = [lines[0], f"if ({condition}) {{", *lines[1:], "}"]
        return lines, ["accache_data_end();"]

    def directive(self, construct: DataConstruct) -> list[str]:
        """The statements of an executable directive or of a data region's entry."""
        place = _place(construct)
        ordered = sorted(construct.data, key=_order)
        if construct.kind == "declare":
            return self.declared(ordered, construct, place)
        if construct.kind in SELECTING:
            calls = {"init": self.init, "shutdown": self.shutdown, "set": self.set}[construct.kind](construct)
            return [f"accache_at({place});", *calls]
        waits = self.waits(construct.waits, construct.queue, place)
        queue = self.printer.expression(construct.queue) if construct.queue is not None else ""
        if construct.kind == "data":
            calls = [
                line for clause in ordered if clause.action != "deviceptr" for line in self.mapped(clause, ordered)
            ]
            return [f"accache_data_begin({place});", *waits, *([f"accache_async({queue});"] if queue else []), *calls]
        calls = [line for clause in ordered for line in self.executable(construct, clause, place)]
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
        lasting: list[str] = []
        calls: list[str] = []
        for clause in clauses:
            if clause.lasting:
                part, label = self.section(clause.subarray), quoted(clause.subarray.name)
                values = f"{self.action(clause)}, {part.host}, {part.size}, {label}, {part.element}"
                lasting.append(f"accache_declare({values}, {place});")
            elif clause.action != "deviceptr":
                calls += self.mapped(clause)
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

    def host_data(self, construct: DataConstruct, condition: str) -> tuple[list[str], list[str]]:
        """Declarations of the same names with device addresses, in a block of their own.

        Before: ``float a[100];``. After: ``{ float *accache_a = (float *)accache_use_device(1, a, ...);
        { float *a = accache_a;`` and the block.
        """
        outer, inner = [], []
        for clause in construct.data:
            assert isinstance(clause.subarray.base, Variable)
            name = self.printer.name(clause.subarray.base.name)
            pointer = _as_pointer(clause.subarray.base.type)
            host = memory(name, element_type(pointer) or pointer)
            rest = f"{host}, {quoted(name)}, {int(construct.if_present)}, {_place(construct)}"
            value = f"({self.printer.type(pointer)})accache_use_device({condition or '1'}, {rest})"
            outer.append(f"{self.printer.declare(pointer, f'accache_{name}')} = {value};")
            inner.append(f"{self.printer.declare(pointer, name)} = accache_{name};")
        return ["{", *outer, "{", *inner], ["}", "}"]


def _place(construct: DataConstruct) -> str:
    """A directive's place as arguments of a call."""
    return f"{quoted(construct.location.file)}, {construct.location.line}"


def _order(clause: DataClause) -> tuple[int, int, int]:
    """Structures before what their members lead to, uploads first; pointers are attached last and detached first."""
    stage = {"detach": -1, "attach": 1}.get(clause.action, 0)
    rank = UPLOADS_FIRST.index(clause.action) if clause.action in UPLOADS_FIRST else len(UPLOADS_FIRST)
    return stage, member_depth(clause.subarray), rank


def _as_pointer(ctype: CType) -> CType:
    """An array's or a pointer's type as that of a pointer without qualifiers of its own."""
    plain = resolve(ctype)
    if isinstance(plain, Array):
        return Pointer(plain.element)
    assert isinstance(plain, Pointer)
    return Pointer(plain.target)
