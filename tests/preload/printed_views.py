"""Views of CUDA kernels printed as CUDA again: a program that does what its views say.

Each kernel with a view, and each device function that views call, gets the body that the front end made of it. Such a
program leaves the memory that the original leaves, if views say what their kernels do. Views for this are read
``as_written``: functions of CUDA that views approximate stand in them as themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from accache.base.text import Edit, Span, splice
from accache.cpu.definitions import parameter_name
from accache.cuda.instances import arguments_of
from accache.cuda.items import Item
from accache.cuda.kernel import KernelView
from accache.cuda.needed import instances, needed, references
from accache.cuda.text import Cuda
from accache.cuda.words import BARRIER, POSITIONS
from accache.emit.naming import Namer, outer_names
from accache.emit.printer import Printer
from accache.emit.spelling import Dialect
from accache.emit.templates import macros
from accache.ir.build import INT
from accache.ir.openacc.regions import FreeVariable
from accache.ir.tree import Call, Comma, Declare, Expr, Stmt, StringLiteral, Unary
from accache.ir.types import element_type
from accache.ir.walk import Node, items_of, rewrite

_WORDS = "cuda/preload/words.cu.jinja"


def with_printed_views(cuda: Cuda, views: Sequence[KernelView]) -> str:
    """The text with the bodies of kernels and of their device functions as views have them."""
    edits: dict[int, Edit] = {}
    for view in views:
        kept = needed(cuda, view.item)
        called = {
            name: f"{name}<{', '.join(arguments.values())}>"
            for name, arguments in instances(cuda, kept, view.arguments).items()
        }
        printed = _Printed(cuda, view, references(cuda, kept), called)
        if view.item.is_template:
            place = cuda.tokens[view.item.end - 1].end
            known = edits.get(-place)
            edits[-place] = Edit(Span(place, place), (known.text if known else "") + printed.instance())
            continue
        for item, parameters, body in printed.functions():
            place = cuda.tokens[item.body].start
            text = printed.body(item, parameters, body)
            edits.setdefault(place, Edit(Span(place, cuda.tokens[item.end - 1].end), text))
    return splice(cuda.source, tuple(sorted(edits.values(), key=lambda edit: (edit.span.start, edit.span.end))))


class _Printed:
    """What one view says, as text."""

    def __init__(
        self, cuda: Cuda, view: KernelView, references: Mapping[str, frozenset[int]], called: Mapping[str, str]
    ) -> None:
        self.cuda, self.view, self.references, self.called = cuda, view, references, called

    def functions(self) -> Iterator[tuple[Item, tuple[FreeVariable, ...], Stmt]]:
        """The kernel, and the device functions of the same text that its view calls, each with its body."""
        yield self.view.item, self.view.parameters, self.view.body
        bodies = {each.name: (each.parameters, each.body) for each in self.view.routines if each.body is not None}
        found = [item for item in self.cuda.items if item.kind in ("device", "host") and item.name in bodies]
        for item in found:
            parameters, body = bodies[item.name]
            if not item.is_template and body is not None and sum(each.name == item.name for each in found) == 1:
                yield item, parameters, body

    def body(self, item: Item, parameters: Sequence[FreeVariable], body: Stmt) -> str:
        """A function's body in braces; its parameters have the names that its text gives them."""
        printer = self.printer(parameters, body)
        for number in self.references.get(item.name, ()):
            first, end = item.parameters[number]
            printer.names[parameters[number].name] = f"(&{parameter_name(self.cuda.tokens[first:end])})"
        opened = [f"    using namespace {'::'.join(path)};" for path in self.cuda.namespaces]
        return "\n".join(["{", *opened, *printer.lines(items_of(self.restored(body)), 1), "}"])

    def instance(self) -> str:
        """The kernel of a template for the arguments of the view, as an explicit specialisation."""
        view = self.view
        printer = self.printer(view.parameters, view.body)
        parameters = ", ".join(printer.declare(each.type, printer.name(each.name)) for each in view.parameters)
        head = macros(_WORDS).instance(view.name, arguments_of(view.item, view.arguments), parameters)
        return f"\n{str(head).strip()}\n{self.body(view.item, view.parameters, view.body)}\n"

    def printer(self, parameters: Sequence[FreeVariable], body: Stmt) -> _ViewPrinter:
        """A printer with the names of a function."""
        printed = {f"{word}_{axis}": f"{word}.{axis}" for word in POSITIONS for axis in "xyz"}
        namer, visible = Namer(frozenset(), frozenset(), printed, outer_names(body)), set[str]()
        for parameter in parameters:
            namer.declare(parameter.name, visible)
        namer.statement(body, visible)
        barrier = str(macros(_WORDS).barrier()).strip().removesuffix("();")
        printer = _ViewPrinter(printed, dialect=Dialect(at_home=True), calls={**self.called, BARRIER: barrier})
        printer.shared, printer.dynamic = self.view.shared, self.view.text.dynamic
        return printer

    def restored(self, body: Stmt) -> Stmt:
        """A body with calls of functions that take references as the text has them."""

        def change(node: Node) -> Node:
            numbers = self.references.get(node.function, frozenset()) if isinstance(node, Call) else ()
            if not isinstance(node, Call) or not numbers:
                return node
            arguments = tuple(
                Unary(element_type(each.type) or INT, each.location, "*", each) if number in numbers else each
                for number, each in enumerate(node.arguments)
            )
            return replace(node, arguments=arguments)

        return rewrite(body, change)


def _as_written(node: Expr) -> Expr:
    """``"f", a, b, value`` is ``f(a, b)``: what a view that is read as written has of CUDA's own functions."""
    parts: list[Expr] = []
    place: Expr = node
    while isinstance(place, Comma):
        parts.insert(0, place.right)
        place = place.left
    if not isinstance(node, Comma) or not isinstance(place, StringLiteral):
        return node
    return Call(node.type, node.location, place.spelling.strip('"'), tuple(parts[:-1]))


class _ViewPrinter(Printer, dict=True):
    """Prints a view: what it says is C, with the overloads of C++."""

    shared: frozenset[str] = frozenset()
    dynamic: frozenset[str] = frozenset()

    def _expression(self, expr: Expr) -> tuple[str, int]:
        return super()._expression(_as_written(expr))

    def _argument(self, function: str, argument: Expr) -> str:
        return self.expression(argument, 2)

    def _declarator(self, stmt: Declare) -> str:
        if stmt.name not in self.shared:
            return super()._declarator(stmt)
        is_dynamic = stmt.name in self.dynamic
        declared = replace(stmt, type=replace(stmt.type, length=None)) if is_dynamic else stmt
        return str(macros(_WORDS).in_shared(super()._declarator(declared), is_dynamic)).strip()
