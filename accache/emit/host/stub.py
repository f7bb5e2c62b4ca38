"""Launch stubs: C-linkage functions that map a region's data, launch its kernels and fetch its results."""

from __future__ import annotations

from math import prod

from msgspec.structs import replace

from accache.emit import templates
from accache.emit.expressions import LEVELS, ExpressionPrinter
from accache.emit.host.data import DataPrinter, member_depth
from accache.emit.host.launches import LaunchPrinter
from accache.emit.host.stub_names import ARRAYS, QUEUE, Stub, is_by_address
from accache.emit.kernels.reductions import functor
from accache.emit.printer import line_directive
from accache.emit.sections import is_constant, memory, quoted
from accache.emit.spelling import DEVICE, Dialect
from accache.ir.arrays import extents, innermost, is_variable_length
from accache.ir.build import number
from accache.ir.constants import constant
from accache.ir.exports import public
from accache.ir.kernels.launch_plan import Parameter
from accache.ir.names import user_name
from accache.ir.openacc.members import are_members_named
from accache.ir.openacc.regions import DataClause, Reduction
from accache.ir.tree import Variable
from accache.ir.types import (
    Array,
    CType,
    Pointer,
    Void,
    element_type,
    is_array,
    is_const,
)


class StubPrinter(Stub, frozen=True):
    """Prints the stub of one region; with ``begins`` it tells a checker where arrays begin that sections are of."""

    line: bool = False
    begins: bool = False

    def print(self) -> str:
        """The stub's text."""
        text = templates.render(
            "cuda/stub.cu.jinja",
            name=self.plan.name,
            line=self.region.location.line,
            file=self.file,
            plural="s" if len(self.launches) > 1 else "",
            parameters=", ".join(self.signature()) or "void",
            queue=self.own(QUEUE) if self.region.execution.queue is not None else "",
            stream=self.own("stream"),
            maps=[*self.typed_addresses(), *self.locals(), *self.maps()],
            launches=[self.launched(number) for number, _ in enumerate(self.launches)],
            results=self.results(),
        )
        if not self.line:
            return text
        lines = (part for line in text.splitlines() for part in (*line_directive(self.region.location), line))
        return "\n".join(lines) + "\n"

    def prototype(self, dialect: Dialect) -> str:
        """The stub's declaration for C and C++ callers, which call ``_Bool`` differently."""
        return f"void {self.plan.name}({', '.join(self.signature(dialect)) or 'void'});"

    def signature(self, dialect: Dialect = DEVICE) -> list[str]:
        """The stub's parameters: values, host addresses of arrays, addresses of what comes back."""
        printer = replace(self.printer, dialect=dialect)
        texts = [printer.declare(self.passed_type(item), self.passed_name(item)) for item in self.passed]
        texts += [f"const void *{self.own(f'{name}_address')}" for name in self.attached_variables()]
        return texts if self.region.execution.queue is None else [*texts, f"int {self.own(QUEUE)}"]

    def passed_type(self, parameter: Parameter) -> CType:
        """The type of a stub's parameter: an address without a type where only a function knows the type."""
        ctype = self.host_type(parameter)
        known = public(ctype)
        if known is not None:
            return known
        return Pointer(Void(const=is_constant(Pointer(element_type(ctype) or ctype))))

    def passed_name(self, parameter: Parameter) -> str:
        """The name of a stub's parameter; the variable's own name stands for its typed address."""
        name = self.printer.name(parameter.name)
        return name if public(self.host_type(parameter)) is not None else self.own(f"{name}_host")

    def typed_addresses(self) -> list[str]:
        """Declarations that give untyped addresses their types."""
        lines = []
        for item in self.passed:
            ctype = self.host_type(item)
            if public(ctype) is None:
                declared = self.printer.declare(ctype, self.printer.name(item.name))
                lines.append(f"{declared} = ({self.printer.type(ctype)}){self.passed_name(item)};")
        return lines

    def locals(self) -> list[str]:
        """Declarations of the variables that several kernels share, whose addresses their copies go by."""
        used = {item.name for item in self.parameters}
        found = (item for item in self.region.locals if item.name in used)
        types = (
            (item.name, item.type if is_array(item.type) else Array(item.type, number(1, item.location)))
            for item in found
        )
        return [f"{self.printer.declare(ctype, self.printer.name(name))};" for name, ctype in types]

    def call(self, home: ExpressionPrinter) -> str:
        """The call that replaces the region in host code, whose expressions are printed as they are at ``home``."""
        arguments = []
        for parameter in self.passed:
            name = user_name(parameter.name)
            if parameter.variable.value is not None:
                arguments.append(home.expression(parameter.variable.value))
            elif is_by_address(parameter):
                arguments.append(f"&{name}")
            elif parameter.role in ARRAYS and is_variable_length(parameter.variable.type):
                arguments.append(f"({self.printer.type(self.passed_type(parameter))}){name}")
            else:
                arguments.append(name)
        arguments += [f"&{name}" for name in self.attached_variables()]
        if self.region.execution.queue is not None:
            arguments.append(home.expression(self.region.execution.queue))
        return f"{self.plan.name}({', '.join(arguments)});"

    def maps(self) -> list[str]:
        """The statements that find or make the device copies."""
        data = DataPrinter(self.printer, in_stub=True)
        lines = []
        for parameter in sorted(self.parameters, key=self.place):
            if parameter.role == "array" or (parameter.role == "elements" and parameter.clause is not None):
                lines += data.contiguity(parameter.clause.subarray) if parameter.clause is not None else []
                lines += [self.array_map(parameter, data), *self.begin(parameter, data)]
            elif parameter.role == "memory":
                lines.append(self.memory_map(parameter, data))
        beside = (*self.region.enclosing_data, *self.region.data)
        for clause in sorted(self.region.data, key=lambda clause: member_depth(clause.subarray)):
            is_member = not isinstance(clause.subarray.base, Variable)
            lines += data.mapped(clause, beside) if is_member else data.rows_mapped(clause)
        lines += [f"accache_attach({self.own(f'{name}_address')});" for name in self.attached_variables()]
        members = [item for item in self.region.attached if not isinstance(item.subarray.base, Variable)]
        return [*lines, *(line for clause in members for line in data.mapped(clause))]

    def place(self, parameter: Parameter) -> int:
        """Where the clause stands that maps a variable: the next ones find present what it maps."""
        clauses = [*self.region.enclosing_data, *self.region.data]
        return clauses.index(parameter.clause) if parameter.clause in clauses else len(clauses)

    def attached_variables(self) -> list[str]:
        """The pointer variables of the attach clause, whose own addresses the host passes."""
        bases = [clause.subarray.base for clause in self.region.attached]
        return list(dict.fromkeys(user_name(base.name) for base in bases if isinstance(base, Variable)))

    def array_map(self, parameter: Parameter, data: DataPrinter) -> str:
        """The declaration of an array's device address."""
        ctype = parameter.variable.type
        pointer = self.host_type(parameter)
        declared = self.printer.declare(pointer, self.address(parameter.name))
        cast = self.printer.type(replace(pointer, restrict=False) if isinstance(pointer, Pointer) else pointer)
        if parameter.clause is not None and parameter.clause.action == "firstprivate":
            return f"{declared} = {self.uploaded(parameter.clause, data, cast)};"
        default = "part" if self.region.has_section_around(parameter.name) else self.region.default
        value = data.device_address(parameter.variable, ctype, parameter.clause, cast, default=default)
        return f"{declared} = {value};"

    def begin(self, parameter: Parameter, data: DataPrinter) -> list[str]:
        """The statement by which a checker counts indices as the program does: how far into the array a section is."""
        clause = parameter.clause
        if not self.begins or clause is None or clause.action in ("deviceptr", "firstprivate"):
            return []
        part = data.section(clause.subarray)
        if not part.offset:
            return []
        first = f"(const void *)({part.address(self.address(parameter.name), '+')})"
        before = f"(const char *)({part.host}) - (const char *){self.printer.name(parameter.name)}"
        return [f"accache_cpu_begins({first}, (size_t)({before}));"]

    def uploaded(self, clause: DataClause, data: DataPrinter, cast: str) -> str:
        """The address of a copy of the host's array, from which gangs start."""
        part = data.section(clause.subarray)
        earlier = self.parameters[: next(k for k, item in enumerate(self.parameters) if item.clause == clause)]
        before = sum(item.clause is not None and item.clause.action == "firstprivate" for item in earlier)
        slot = self.count_of_partials + sum(len(launch.slices) for launch in self.launches) + before
        address = f"({cast})accache_firstprivate({part.host}, {part.size}, {slot})"
        return f"{address} - {part.offset}" if part.offset else address

    def memory_map(self, parameter: Parameter, data: DataPrinter) -> str:
        """A scalar or structure in device memory."""
        name = self.printer.name(parameter.name)
        pointer = Pointer(parameter.variable.type)
        declared = self.printer.declare(pointer, self.address(parameter.name))
        variable = parameter.variable
        implied = "ACCACHE_COPYIN" if is_const(variable.type) or not variable.comes_back else "ACCACHE_COPY"
        implied += " | ACCACHE_MEMBERS" if are_members_named(self.region, parameter.name) else ""
        action = data.action(parameter.clause) if parameter.clause else implied
        label = quoted(name)
        host = memory(name, parameter.variable.type)
        mapped = f"accache_map({action}, {host}, sizeof *{name}, {label}, sizeof *{name})"
        return f"{declared} = ({self.printer.type(pointer)}){mapped};"

    def launched(self, number: int) -> list[str]:
        """The statements that launch one kernel, and combine what it reduces where another kernel goes on with that."""
        return [*LaunchPrinter(self, number).print(), *self.combinations(number, self.in_memory)]

    def results(self) -> list[str]:
        """Combine the blocks' parts of all other reductions."""
        others = frozenset(item.name for item in self.parameters) - self.in_memory
        return [line for number, _ in enumerate(self.launches) for line in self.combinations(number, others)]

    def combinations(self, number: int, variables: frozenset[str]) -> list[str]:
        """Combine the blocks' parts of what a kernel reduces of some variables, in the order of the blocks."""
        suffix = "" if len(self.launches) == 1 else str(number + 1)
        found = self.launches[number].partials
        return [self.combined(reduction, suffix) for reduction in found if reduction.target in variables]

    def combined(self, reduction: Reduction, suffix: str) -> str:
        """The host's part of one reduction; a copy of the variable on the device takes part and gets the result."""
        name, ctype = self.printer.name(reduction.target), self.printer.type(innermost(reduction.type))
        operator = functor("last" if reduction.of_one_gang else reduction.operator, ctype)
        function = "accache_combine"
        if self.is_on_device(reduction):
            function = "accache_combine_on_device"
        elif self.may_be_mapped(reduction):
            function = "accache_combine_present"
        total = self.first_element(reduction) if reduction.is_array else name
        count = f", {prod(extents(reduction.type) or ())}" if reduction.is_array else ""
        parts, blocks = self.partials(reduction, suffix), self.own(f"blocks{suffix}")
        return f"{function}<{operator}>({total}, {parts}, {blocks}{count});"

    def first_element(self, reduction: Reduction) -> str:
        """The host's address of the first of several elements that are reduced."""
        place = self.printer.name(reduction.target)
        if reduction.lower is not None and constant(reduction.lower) != 0:
            place += f" + {self.printer.expression(reduction.lower, LEVELS['+'] + 1)}"
        if len(extents(reduction.type) or ()) == 1:
            return place
        return f"({self.printer.type(Pointer(innermost(reduction.type)))})({place})"
