"""Routines as CUDA text: device functions beside the kernels that call them."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from accache.emit import templates
from accache.emit.kernels.atomics import Emulated, emulated_in, print_atomic
from accache.emit.kernels.reductions import routine_reduce_view
from accache.emit.naming import Namer, outer_names, wide_names
from accache.emit.parameters import device_type, flat_type
from accache.emit.printer import Printer, line_directive
from accache.emit.spelling import spelled
from accache.ir.arrays import is_variable_length
from accache.ir.builtins import DEVICE_CALLS
from accache.ir.kernels.launch_plan import RoutinePlan
from accache.ir.kernels.simt import BlockReduce
from accache.ir.sizes import padded
from accache.ir.tree import Stmt
from accache.ir.types import CType, Pointer, resolve
from accache.ir.walk import items_of, nodes_of


class RoutineText(Struct, frozen=True):
    """A printed routine, and the atomic accesses in it that CUDA has no function for.

    ``declaration`` is the prototype of one that is called before it is defined.
    """

    text: str
    atomics: tuple[Emulated, ...] = ()
    declaration: str = ""


def print_routine(plan: RoutinePlan, taken: frozenset[str], line: bool) -> RoutineText:
    """Print a routine; ``line`` asks for #line directives."""
    bodies = (plan.body,) if plan.body is not None else ()
    printer = RoutinePrinter(plan, taken, line)
    declaration = printer.declaration() if plan.routine.recursive else ""
    return RoutineText(printer.print(), emulated_in(bodies), declaration)


class RoutinePrinter(Struct, frozen=True):
    """Prints one routine."""

    plan: RoutinePlan
    taken: frozenset[str]
    line: bool = False

    def print(self) -> str:
        """The routine's definition, or its declaration where another file defines it."""
        routine = self.plan.routine
        body = self.plan.body
        if body is None:
            text = templates.render("cuda/routine_declaration.cu.jinja", head=self.head(Printer({})), name=routine.name)
        else:
            printer = self.printer()
            text = templates.render(
                "cuda/routine.cu.jinja",
                reductions=self.reductions(body, printer),
                comment=self.comment(),
                linkage=self.linkage,
                head=self.head(printer),
                storage=self.storage(printer),
                body=printer.lines(items_of(body), 1),
                falls_off=self.plan.falls_off,
            )
        lines = [line.rstrip() for line in text.splitlines()]
        if not self.line:
            return "\n".join(lines) + "\n"
        return "\n".join([*line_directive(routine.location), *lines]) + "\n"

    @property
    def linkage(self) -> str:
        """What the definition of the routine begins with."""
        return "static" if self.plan.routine.static else 'extern "C"'

    def declaration(self) -> str:
        """The routine's prototype."""
        head = self.head(self.printer())
        return templates.render("cuda/routine_prototype.cu.jinja", linkage=self.linkage, head=head)

    def printer(self) -> Printer:
        """A printer with the routine's names."""
        routine = self.plan.routine
        assert self.plan.body is not None
        printed = dict(self.plan.names)
        visible: set[str] = set()
        namer = Namer(self.taken, self.plan.generated, printed, outer_names(self.plan.body))
        for parameter in routine.parameters:
            namer.declare(parameter.name, visible)
        for shared in self.plan.shared:
            namer.declare(shared.name, visible)
        namer.statement(self.plan.body, visible)
        printer = Printer(printed, line=self.line, calls=DEVICE_CALLS, result=routine.result, atomic=print_atomic)
        printer.dereferenced = self.plan.references
        printer.wide = wide_names(((item.name, item.type) for item in routine.parameters), self.plan.body)
        printer.reduce = lambda printer, stmt: str(
            templates.macros("cuda/statements.cu.jinja").reduce(routine_reduce_view(stmt, printer, routine.symbol))
        )
        return printer

    def reductions(self, body: Stmt, printer: Printer) -> list[str]:
        """The functions that combine values over threads, one for each kind."""
        stmts = nodes_of(body, BlockReduce)
        views = (routine_reduce_view(stmt, printer, self.plan.routine.symbol) for stmt in stmts)
        by_name = {view.routine: view for view in views}
        return [templates.render("cuda/reduction_in_routine.cu.jinja", r=view) for view in by_name.values()]

    def storage(self, printer: Printer) -> list[str]:
        """The declarations of shared memory."""
        shared = templates.macros("cuda/statements.cu.jinja").shared
        names = ((padded(item), printer.name(item.name)) for item in self.plan.shared)
        lines = [str(shared(printer.declare(ctype, name))).strip() for ctype, name in names]
        return [*lines, ""] if lines else []

    def head(self, printer: Printer) -> str:
        """The function's declarator."""
        routine = self.plan.routine
        texts = [
            printer.declare(self.type(item.name, item.type, is_written), printer.name(item.name))
            for item, is_written in zip(routine.parameters, self.plan.written, strict=True)
        ]
        return printer.declare(
            routine.result, f"{spelled(routine.symbol)}({', '.join(text.rstrip() for text in texts)})"
        )

    def type(self, name: str, ctype: CType, written: bool) -> CType:
        """A parameter's type: flat as in kernels, const where the routine only reads."""
        plain = resolve(ctype)
        if not isinstance(plain, Pointer):
            return ctype
        is_apart = plain.restrict and name not in self.plan.exchanged
        if is_variable_length(ctype):
            return flat_type(ctype, written, is_apart)
        if written or self.plan.body is None:
            return ctype if is_apart == plain.restrict else replace(plain, restrict=False)
        return device_type(ctype, False, is_apart)

    def comment(self) -> str:
        """What the function is, and who runs it."""
        routine = self.plan.routine
        together = "" if routine.level == "seq" else ", which all threads of a block call together"
        return f"{routine.name}(), line {routine.location.line}: a {routine.level} routine{together}."
