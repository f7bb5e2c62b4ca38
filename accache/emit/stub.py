"""Launch stubs: C-linkage functions that map a region's data, launch its kernels and fetch its results."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

from accache.analysis.affine import index_polynomial
from accache.emit import templates
from accache.emit.data import DataPrinter, member_depth
from accache.emit.kernel import KernelText
from accache.emit.parameters import Parameter, flat_type
from accache.emit.printer import LEVELS, Printer, inner_lengths, is_variable_length, line_directive
from accache.emit.reductions import combine, initial_value
from accache.emit.sections import is_constant, quoted
from accache.emit.spelling import DEVICE, Dialect
from accache.ir.builtins import COMPLEX_NAMES
from accache.ir.constants import constant
from accache.ir.exports import public
from accache.ir.regions import DataClause, Reduction, Region
from accache.ir.simt import CanonicalLoop, Extent, Slices
from accache.ir.tree import Expr, Variable
from accache.ir.types import (
    Arithmetic,
    CType,
    Enum,
    Pointer,
    Void,
    element_type,
    is_complex,
    resolve,
    underlying,
    unqualified,
)
from accache.planning.elements import extents, innermost
from accache.planning.lowered import LoweredKernel

STRIDED_BLOCKS = 1024
ARRAYS = ("array", "elements")
MAX_STRIDED_BLOCKS = 65535
QUEUE = "async_queue"


@dataclass(frozen=True)
class Launch:
    """A kernel of a region: as planned, as printed, and the version without caches if there is one."""

    lowered: LoweredKernel
    parameters: tuple[Parameter, ...]
    text: KernelText
    fallback: KernelText | None
    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class StubPrinter:
    """Prints the stub of one region."""

    region: Region
    name: str
    parameters: tuple[Parameter, ...]
    launches: tuple[Launch, ...]
    line: bool = False

    @cached_property
    def printer(self) -> Printer:
        """Prints the stub's expressions; what comes back to the host is passed by address."""
        by_reference = frozenset(item.name for item in self.parameters if is_by_address(item))
        return Printer({}, dereferenced=by_reference, calls=COMPLEX_NAMES)

    @property
    def file(self) -> str:
        """The user's file as a C string."""
        return quoted(self.region.location.file)

    def print(self) -> str:
        """The stub's text."""
        text = templates.render(
            "cuda/stub.cu.jinja",
            name=self.name,
            line=self.region.location.line,
            file=self.file,
            plural="s" if len(self.launches) > 1 else "",
            parameters=", ".join(self.signature()) or "void",
            queue=self.own(QUEUE) if self.region.queue is not None else "",
            stream=self.own("stream"),
            maps=[*self.typed_addresses(), *self.maps()],
            launches=[self.launch(launch, number) for number, launch in enumerate(self.launches)],
            results=self.results(),
        )
        if not self.line:
            return text
        lines = (part for line in text.splitlines() for part in (*line_directive(self.region.location), line))
        return "\n".join(lines) + "\n"

    def prototype(self, dialect: Dialect) -> str:
        """The stub's declaration for C and C++ callers, which call ``_Bool`` differently."""
        return f"void {self.name}({', '.join(self.signature(dialect)) or 'void'});"

    def signature(self, dialect: Dialect = DEVICE) -> list[str]:
        """The stub's parameters: values, host addresses of arrays, addresses of what comes back."""
        printer = replace(self.printer, dialect=dialect)
        texts = [printer.declare(self.passed_type(item), self.passed_name(item)) for item in self.parameters]
        texts += [f"const void *{self.own(f'{name}_address')}" for name in self.attached_variables()]
        return texts if self.region.queue is None else [*texts, f"int {self.own(QUEUE)}"]

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
        for item in self.parameters:
            ctype = self.host_type(item)
            if public(ctype) is None:
                declared = self.printer.declare(ctype, self.printer.name(item.name))
                lines.append(f"{declared} = ({self.printer.type(ctype)}){self.passed_name(item)};")
        return lines

    def host_type(self, parameter: Parameter) -> CType:
        """How the host passes a variable."""
        ctype = parameter.variable.type
        if is_by_address(parameter):
            return Pointer(ctype)
        if parameter.role not in ARRAYS:
            plain = resolve(ctype)
            return underlying(plain) if isinstance(plain, Enum) else ctype
        if is_variable_length(ctype):
            return flat_type(ctype, True, False)
        element = getattr(ctype, "element", None)
        return Pointer(element) if element is not None else ctype

    def call(self) -> str:
        """The call that replaces the region in host code."""
        arguments = []
        for parameter in self.parameters:
            name = parameter.name.partition("#")[0]
            if is_by_address(parameter):
                arguments.append(f"&{name}")
            elif parameter.role in ARRAYS and is_variable_length(parameter.variable.type):
                arguments.append(f"({self.printer.type(self.passed_type(parameter))}){name}")
            else:
                arguments.append(name)
        arguments += [f"&{name}" for name in self.attached_variables()]
        if self.region.queue is not None:
            arguments.append(Printer({}, dialect=Dialect(at_home=True)).expression(self.region.queue))
        return f"{self.name}({', '.join(arguments)});"

    def own(self, name: str) -> str:
        """A name of the stub's own, which no variable of the user's has."""
        while name in self.users_names:
            name += "_"
        return name

    @cached_property
    def users_names(self) -> frozenset[str]:
        """The variables that the stub gets."""
        return frozenset(self.printer.name(item.name) for item in self.parameters)

    def maps(self) -> list[str]:
        """The statements that find or make the device copies."""
        data = DataPrinter(self.printer, in_stub=True)
        lines = []
        for parameter in self.parameters:
            if parameter.role == "array" or (parameter.role == "elements" and parameter.clause is not None):
                lines.append(self.array_map(parameter, data))
            elif parameter.role == "memory":
                lines.append(self.memory_map(parameter, data))
        for clause in sorted(self.region.data, key=lambda clause: member_depth(clause.subarray)):
            is_member = not isinstance(clause.subarray.base, Variable)
            lines += data.mapped(clause) if is_member else data.rows_mapped(clause)
        lines += [f"accache_attach({self.own(f'{name}_address')});" for name in self.attached_variables()]
        members = [item for item in self.region.attached if not isinstance(item.subarray.base, Variable)]
        return [*lines, *(line for clause in members for line in data.mapped(clause))]

    def attached_variables(self) -> list[str]:
        """The pointer variables of the attach clause, whose own addresses the host passes."""
        bases = [clause.subarray.base for clause in self.region.attached]
        return list(dict.fromkeys(base.name.partition("#")[0] for base in bases if isinstance(base, Variable)))

    def address(self, variable: str) -> str:
        """The name of a variable's device address."""
        return self.own(f"{self.printer.name(variable)}_device")

    def array_map(self, parameter: Parameter, data: DataPrinter) -> str:
        """The declaration of an array's device address."""
        ctype = parameter.variable.type
        pointer = self.host_type(parameter)
        declared = self.printer.declare(pointer, self.address(parameter.name))
        cast = self.printer.type(replace(pointer, restrict=False) if isinstance(pointer, Pointer) else pointer)
        if parameter.clause is not None and parameter.clause.action == "firstprivate":
            return f"{declared} = {self.uploaded(parameter.clause, data, cast)};"
        default = "part" if self.region.has_section_around(parameter.name) else self.region.default
        value = data.device_address(parameter.variable, ctype, parameter.clause, cast, default)
        return f"{declared} = {value};"

    def uploaded(self, clause: DataClause, data: DataPrinter, cast: str) -> str:
        """The address of a copy of the host's array, from which gangs start."""
        part = data.section(clause.subarray)
        earlier = self.parameters[: next(k for k, item in enumerate(self.parameters) if item.clause == clause)]
        before = sum(item.clause is not None and item.clause.action == "firstprivate" for item in earlier)
        slot = self.count_of_partials + sum(len(launch.lowered.slices) for launch in self.launches) + before
        address = f"({cast})accache_firstprivate({part.host}, {part.size}, {slot})"
        return f"{address} - {part.offset}" if part.offset else address

    def memory_map(self, parameter: Parameter, data: DataPrinter) -> str:
        """A scalar or structure in device memory."""
        name = self.printer.name(parameter.name)
        pointer = Pointer(parameter.variable.type)
        declared = self.printer.declare(pointer, self.address(parameter.name))
        action = data.action(parameter.clause) if parameter.clause else "ACCACHE_COPY"
        label = quoted(name)
        mapped = f"accache_map({action}, {name}, sizeof *{name}, {label}, sizeof *{name})"
        return f"{declared} = ({self.printer.type(pointer)}){mapped};"

    def launch(self, launch: Launch, number: int) -> list[str]:
        """The statements that launch one kernel."""
        mapped = launch.lowered.cached.kernel
        suffix = "" if len(self.launches) == 1 else str(number + 1)
        lines: list[str] = []
        x, y, z = mapped.block
        block, grid = self.own(f"block{suffix}"), self.own(f"grid{suffix}")
        lines.append(f"const dim3 {block}({', '.join(map(str, (x, y, z)[: 3 if z > 1 else 2 if y > 1 else 1]))});")
        counts, extents = self.grid(launch, suffix)
        lines += counts
        lines.append(f"const dim3 {grid}({', '.join(extents)});")
        names = [count.split(" ")[3] for count in counts]
        condition = " && ".join(f"{name} > 0" for name in names)
        inner = self.launch_statements(launch, suffix)
        if launch.lowered.partials or launch.lowered.slices:
            lines += self.buffers(launch, suffix, condition)
        if not condition:
            return lines + inner
        return [*lines, f"if ({condition}) {{", *(f"    {line}" for line in inner), "}"]

    def grid(self, launch: Launch, suffix: str) -> tuple[list[str], list[str]]:
        """Declarations of trip counts, and the grid's extents."""
        mapped = launch.lowered.cached.kernel
        if mapped.gangs:
            texts = [self.printer.expression(size) for size in mapped.gangs]
            return [], [text if text.isdigit() else f"{text} > 0 ? {text} : 1" for text in texts]
        loops = mapped.grid_loops
        if not loops:
            return [], ["1"]
        if mapped.is_general:
            return [], [str(STRIDED_BLOCKS)]
        lines, extents = [], []
        for loop, threads in zip(loops, mapped.grid_threads, strict=True):
            name = self.own(f"{loop.variable.partition('#')[0]}_count{suffix}")
            lines.append(f"const long long {name} = {self.trip_count(loop)};")
            blocks = name if threads == 1 else f"({name} + {threads - 1}) / {threads}"
            extents.append(blocks)
        return lines, extents

    def trip_count(self, loop: CanonicalLoop) -> str:
        """How many iterations a loop has, as C text; zero or negative if none."""
        first, limit = index_polynomial(loop.first), index_polynomial(loop.limit)
        distance = abs(loop.step)
        extra = distance - 1 + (loop.operator in ("<=", ">="))
        if first is not None and limit is not None and _is_int(loop.first) and _is_int(loop.limit):
            span = (limit - first if loop.step > 0 else first - limit) + extra
            text = self.printer.polynomial(span)
            simple = len(span.terms) == 1
        else:
            ends = (loop.limit, loop.first) if loop.step > 0 else (loop.first, loop.limit)
            left, right = (self.widened(end) for end in ends)
            text = f"{left} - {right}" + (f" + {extra}" if extra else "")
            simple = False
        if distance == 1:
            return text
        return f"{text} / {distance}" if simple else f"({text}) / {distance}"

    def widened(self, expr: Expr) -> str:
        """An operand in 64 bits."""
        return f"(long long){self.printer.expression(expr, LEVELS['unary'])}"

    def launch_statements(self, launch: Launch, suffix: str) -> list[str]:
        """The launch itself, choosing the version without caches where arrays overlap or are shorter than assumed."""
        if launch.fallback is None:
            return self.launch_one(launch, launch.text, suffix)
        pairs = [tuple(self.mapped(name)[0] for name in pair) for pair in launch.pairs]
        tests = [f"!accache_overlap({first}, {second})" for first, second in pairs]
        tests += [self.holds(array, extent) for array, extent in launch.lowered.cached.assumptions]
        normal = self.launch_one(launch, launch.text, suffix)
        fallback = self.launch_one(launch, launch.fallback, suffix)
        return [
            f"if ({' && '.join(tests)}) {{",
            *(f"    {line}" for line in normal),
            "} else {",
            *(f"    {line}" for line in fallback),
            "}",
        ]

    def holds(self, array: str, extent: Extent) -> str:
        """Whether elements of an array are on the device."""
        first, end = map(self.printer.polynomial, extent)
        return f"accache_holds({self.printer.name(array)}, {self.element_size(array)}, {first}, {end})"

    def launch_one(self, launch: Launch, text: KernelText, suffix: str) -> list[str]:
        """One ``<<<>>>`` and its check."""
        lines = []
        arguments = []
        by_name = {parameter.name: parameter for parameter in self.parameters}
        for parameter in launch.parameters:
            arguments += self.arguments(launch, by_name[parameter.name], suffix)
        for array in text.extents:
            extent = self.own(f"{self.printer.name(array)}_extent")
            where, shift = self.mapped(array)
            lines.append(f"const accache_extent {extent} = accache_extent_of({where}, {self.element_size(array)});")
            arguments += [f"{extent}.first{shift}", f"{extent}.end{shift}"]
        arguments += [self.own(f"{slices.name}{suffix}") for slices in launch.lowered.slices]
        grid, block = self.own(f"grid{suffix}"), self.own(f"block{suffix}")
        shape = f"{grid}, {block}"
        if text.shared_bytes:
            lines.append(f"accache_allow_shared((const void *){text.name}, {text.shared_bytes});")
        if text.shared_bytes or self.region.queue is not None:
            shape += f", {text.shared_bytes}"
        if self.region.queue is not None:
            shape += f", {self.own('stream')}"
        lines.append(f"{text.name}<<<{shape}>>>({', '.join(arguments)});")
        line = launch.lowered.cached.kernel.line
        place = f"{text.shared_bytes}, {self.file}, {line}"
        lines.append(f"accache_launched({quoted(text.name)}, {grid}, {block}, {place});")
        return lines

    def mapped(self, array: str) -> tuple[str, str]:
        """An address inside of what is mapped of an array, and how many elements it is from the array's first.

        The array's first element itself need not be mapped: the address then only serves to compute others.
        It is the host's, by which the present table knows an array; a firstprivate one has a copy apart from that.
        """
        clause = next(item.clause for item in self.parameters if item.name == array)
        is_apart = clause is not None and clause.action == "firstprivate"
        address = self.address(array) if is_apart else self.printer.name(array)
        if clause is None or clause.action == "deviceptr":
            return address, ""
        offset = DataPrinter(self.printer, in_stub=True).section(clause.subarray).offset
        if not offset:
            return address, ""
        return f"{address} + {offset}", f" + {self.elements_before(clause)}"

    def elements_before(self, clause: DataClause) -> str:
        """How many elements of an array stand before those that a clause names."""
        first = clause.subarray.dimensions[0].lower
        assert first is not None
        count = index_polynomial(first)
        for length in inner_lengths(clause.subarray.base.type):
            row = index_polynomial(length)
            count = count * row if count is not None and row is not None else None
        if count is not None:
            return self.printer.polynomial(count)
        rows = DataPrinter(self.printer, in_stub=True).row_elements(clause.subarray.base.type)
        return f"(long long)({self.printer.expression(first)}) * ({rows})"

    def element_size(self, array: str) -> str:
        """The size of an array's single element."""
        tile = next(tile for launch in self.launches for tile in launch.lowered.cached.tiles if tile.array == array)
        return f"sizeof({self.printer.type(unqualified(tile.element))})"

    def arguments(self, launch: Launch, parameter: Parameter, suffix: str) -> list[str]:
        """A kernel's arguments for one variable."""
        name = self.printer.name(parameter.name)
        if parameter.role in ("array", "memory"):
            return [self.address(parameter.name)]
        if parameter.role == "value":
            return [f"*{name}" if is_by_address(parameter) else name]
        reduction = next(item for item in launch.lowered.partials if item.target == parameter.name)
        buffer = self.partials(reduction, suffix)
        if parameter.role == "elements":
            return [buffer]
        return [buffer] if initial_value(reduction) else [f"*{name}", buffer]

    def buffers(self, launch: Launch, suffix: str, condition: str) -> list[str]:
        """Room on the device for each block's part of each reduction, and for its copies of arrays."""
        grid, count_of_blocks = self.own(f"grid{suffix}"), self.own(f"blocks{suffix}")
        product = " * ".join([f"(size_t){grid}.x", f"{grid}.y", f"{grid}.z"][: launch.lowered.cached.kernel.grid_rank])
        blocks = f"{condition} ? {product} : 0" if condition else product
        lines = [f"const size_t {count_of_blocks} = {blocks};"]
        earlier = self.launches[: self.launches.index(launch)]
        first = sum(len(other.lowered.partials) for other in earlier)
        for slot, reduction in enumerate(launch.lowered.partials, first):
            name = self.partials(reduction, suffix)
            ctype = self.printer.type(innermost(reduction.type))
            count = count_of_blocks + (f" * {prod(extents(reduction.type) or ())}" if reduction.is_array else "")
            lines.append(f"{ctype} *{name} = accache_partials<{ctype}>({count}, {slot});")
        first = self.count_of_partials + sum(len(other.lowered.slices) for other in earlier)
        for slot, slices in enumerate(launch.lowered.slices, first):
            lines.append(self.slices(slices, suffix, slot))
        return lines

    def partials(self, reduction: Reduction, suffix: str) -> str:
        """The name of the blocks' parts of a reduction."""
        return self.own(f"{self.printer.name(reduction.target)}_partials{suffix}")

    @property
    def count_of_partials(self) -> int:
        """How many buffers the reductions need."""
        return sum(len(launch.lowered.partials) for launch in self.launches)

    def slices(self, slices: Slices, suffix: str, slot: int) -> str:
        """Room for the copies of an array that blocks, or their workers or threads, have."""
        pointer, blocks = Pointer(slices.element), self.own(f"blocks{suffix}")
        declared = self.printer.declare(pointer, self.own(f"{slices.name}{suffix}"))
        owners = f" * {slices.owners}" if slices.owners > 1 else ""
        count = self.printer.expression(slices.count, LEVELS["unary"])
        size = f"{blocks}{owners} * (size_t){count} * sizeof({self.printer.type(slices.element)})"
        return f"{declared} = ({self.printer.type(pointer)})accache_scratch({size}, {slot});"

    def results(self) -> list[str]:
        """Combine the blocks' parts of each reduction, in the order of the blocks."""
        lines: list[str] = []
        for number, launch in enumerate(self.launches):
            suffix = "" if len(self.launches) == 1 else str(number + 1)
            for reduction in launch.lowered.partials:
                lines.append(self.combined(reduction, suffix))
        return lines

    def combined(self, reduction: Reduction, suffix: str) -> str:
        """The host's part of one reduction; a copy of the variable on the device takes part and gets the result."""
        name, ctype = self.printer.name(reduction.target), self.printer.type(innermost(reduction.type))
        fold = f"[]({ctype} total, {ctype} part) {{ return {combine(reduction.operator, 'total', 'part')}; }}"
        function = "accache_combine_present" if self.may_be_mapped(reduction) else "accache_combine"
        total = self.first_element(reduction) if reduction.is_array else name
        count = f", {prod(extents(reduction.type) or ())}" if reduction.is_array else ""
        parts, blocks = self.partials(reduction, suffix), self.own(f"blocks{suffix}")
        return f"{function}<{ctype}>({total}, {parts}, {blocks}, {fold}{count});"

    def first_element(self, reduction: Reduction) -> str:
        """The host's address of the first of several elements that are reduced."""
        place = self.printer.name(reduction.target)
        if reduction.lower is not None and constant(reduction.lower) != 0:
            place += f" + {self.printer.expression(reduction.lower, LEVELS['+'] + 1)}"
        if len(extents(reduction.type) or ()) == 1:
            return place
        return f"({self.printer.type(Pointer(innermost(reduction.type)))})({place})"

    def may_be_mapped(self, reduction: Reduction) -> bool:
        """Whether a variable may have a copy on the device."""
        variable = reduction.target
        if reduction.is_array:
            return True
        clauses = (*self.region.enclosing_data, *self.region.data)
        named = {clause.subarray.base.name for clause in clauses if isinstance(clause.subarray.base, Variable)}
        return variable in named or any(item.name == variable and item.is_static for item in self.region.variables)


def is_by_address(parameter: Parameter) -> bool:
    """Whether the host passes a variable's address; that of complex numbers, which C and C++ pass differently, too."""
    passed = parameter.role == "value" and is_complex(parameter.variable.type)
    return passed or parameter.role in ("memory", "result")


def _is_int(expr: Expr) -> bool:
    """Whether an expression is computed in plain int."""
    plain = resolve(expr.type)
    return isinstance(plain, Arithmetic) and plain.name == "int" and not plain.unsigned
