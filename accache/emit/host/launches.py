"""The statements of a launch stub that launch one kernel."""

from __future__ import annotations

from math import prod

from msgspec import Struct

from accache.base.architectures import LARGEST_YZ, MAX_THREADS
from accache.emit.expressions import LEVELS, ExpressionPrinter
from accache.emit.host.data import DataPrinter
from accache.emit.host.fetched import FetchingPrinter
from accache.emit.host.grids import GridPrinter
from accache.emit.host.line_launches import LinePrinter
from accache.emit.host.stub_names import Stub
from accache.emit.kernels.reductions import functor, initial_value
from accache.emit.sections import Mapped, memory, quoted
from accache.ir.arrays import extents, inner_lengths, innermost
from accache.ir.as_polynomial import index_polynomial
from accache.ir.kernels.alignment import Alignment
from accache.ir.kernels.launch_plan import (
    AtMost,
    Condition,
    Disjoint,
    HasLines,
    Holds,
    InLowerHalf,
    IsAligned,
    KernelPlan,
    LaunchPlan,
    ManyBlocks,
    ManyIterations,
    NoWrap,
    Parameter,
    ReachedArray,
    ReachedStructure,
    Version,
)
from accache.ir.kernels.simt import Slices
from accache.ir.openacc.regions import DataClause, Reduction
from accache.ir.types import CType, Pointer, element_type, unqualified


class LaunchPrinter(Struct, frozen=True):
    """Prints the launch of one of a stub's kernels."""

    stub: Stub
    number: int

    @property
    def launch(self) -> LaunchPlan:
        """The launch."""
        return self.stub.launches[self.number]

    @property
    def suffix(self) -> str:
        """What tells names of this launch from those of others."""
        return "" if len(self.stub.launches) == 1 else str(self.number + 1)

    @property
    def printer(self) -> ExpressionPrinter:
        """Prints the stub's expressions."""
        return self.stub.printer

    @property
    def fetching(self) -> FetchingPrinter:
        """Prints what the kernel would compute, of the values that it will find in the device's memory."""
        return self.stub.fetching

    @property
    def grids(self) -> GridPrinter:
        """Prints grids."""
        return GridPrinter(self.printer, self.fetching, self.own)

    @property
    def lines(self) -> LinePrinter:
        """Prints what threads with lines of their own need of the launch."""
        threads = min(prod(self.launch.block), MAX_THREADS)
        plain = next(version.kernel for version in self.launch.versions if version.kernel.lines is None)
        return LinePrinter(self.launch.kernel, plain, threads, self.own("lines"), self.own("grid"))

    def own(self, name: str) -> str:
        """A name of this launch's own."""
        return self.stub.own(f"{name}{self.suffix}")

    def print(self) -> list[str]:
        """The statements that launch one kernel."""
        launch, grids = self.launch, self.grids
        lines = [f"const dim3 {self.own('block')}({_extents(launch.block)});"]
        lines += grids.declarations(launch.grid)
        lines.append(f"const dim3 {self.own('grid')}({', '.join(grids.extents(launch.grid))});")
        condition = grids.condition(launch.grid)
        inner = self.launch_statements(self.totals() if grids.extents(launch.grid) != ["1"] else [])
        if launch.partials or launch.kernel.slices:
            lines += self.buffers(condition)
        if not condition:
            return lines + inner
        return [*lines, f"if ({condition}) {{", *(f"    {line}" for line in inner), "}"]

    def totals(self) -> list[str]:
        """The statements that combine the blocks' parts of each reduction on the device."""
        lines = []
        for reduction in self.launch.partials:
            if reduction.of_one_gang:  # all of them have the same
                continue
            combine = functor(reduction.operator, self.printer.type(innermost(reduction.type)))
            count = f", {prod(extents(reduction.type) or ())}" if reduction.is_array else ""
            parts, blocks = self.stub.partials(reduction, self.suffix), self.own("blocks")
            lines.append(f"accache_total<{combine}>({parts}, {blocks}{count});")
        return lines

    def launch_statements(self, totals: list[str]) -> list[str]:
        """The launch itself, of the first version whose conditions hold.

        It ends with ``totals``, which a version that one thread runs has no need of.
        """
        versions = self.launch.versions
        if len(versions) == 1:
            return [*self.launch_one(versions[0]), *totals]
        is_for_all = all(version.is_parallel for version in versions)
        ways = [
            (
                list(dict.fromkeys(test for condition in version.conditions for test in self.tests(condition))),
                [*self.launched(version), *(totals if version.is_parallel and not is_for_all else [])],
            )
            for version in versions
        ]
        return [*self.lines.declaration(), *self.are_apart(), *_chosen(ways), *(totals if is_for_all else [])]

    def are_apart(self) -> list[str]:
        """The declaration of whether arrays overlap, if several versions ask for that."""
        rows = self.asked_rows
        return [f"const bool {self.own('are_apart')} = {self.disjoint(rows[0])};"] if len(rows) > 1 else []

    @property
    def asked_rows(self) -> list[tuple[tuple[str, tuple[str, ...]], ...]]:
        """The arrays that each version that asks for it wants not to overlap; all of them ask for the same."""
        conditions = (condition for version in self.launch.versions for condition in version.conditions)
        return [condition.rows for condition in conditions if isinstance(condition, Disjoint)]

    def launched(self, version: Version) -> list[str]:
        """The launch of a version, whose grid and blocks may have names of their own."""
        if not version.label or version.block is None or version.grid is None:
            return self.launch_one(version)
        block, grid = self.own(f"{version.label}_block"), self.own(f"{version.label}_grid")
        counted = version.grid.beside(self.launch.grid)
        condition = self.grids.condition(counted)
        inner = [
            f"const dim3 {block}({_extents(version.block)});",
            f"const dim3 {grid}({', '.join(self.grids.extents(version.grid))});",
            *self.room_for_slices(version, grid),
            *self.launch_one(version),
        ]
        if condition:
            inner = [f"if ({condition}) {{", *(f"    {line}" for line in inner), "}"]
        return [*self.grids.declarations(counted), *inner]

    def shape(self, version: Version) -> tuple[str, str]:
        """The grid and the blocks in which a version is launched."""
        if version.label:
            return self.own(f"{version.label}_grid"), self.own(f"{version.label}_block")
        if version.block is None or version.grid is None:
            return self.own("grid"), self.own("block")
        return ", ".join(self.grids.extents(version.grid)), _extents(version.block)

    def tests(self, condition: Condition) -> list[str]:
        """What is tested so that a condition holds."""
        match condition:
            case Disjoint(rows):
                return [self.own("are_apart") if len(self.asked_rows) > 1 else self.disjoint(rows)]
            case Holds(array, element, first, end):
                ends = ", ".join(map(self.printer.polynomial, (first, end)))
                return [f"accache_holds({self.printer.name(array)}, {self.element_size(element)}, {ends})"]
            case NoWrap(most):
                return [f"{self.fetching.polynomial(most, 'double')} <= UINT_MAX"]
            case InLowerHalf(limit, is_wide):
                return [f"{self.fetching.expression(limit, LEVELS['<'])} <= {'LLONG_MAX' if is_wide else 'INT_MAX'}"]
            case HasLines():
                return self.lines.tests()
            case IsAligned(alignment):
                return self.is_aligned(alignment)
            case ManyIterations(variable, known, least):
                return [f"{self.grids.count_name(variable) if known is None else known} >= {least}"]
            case AtMost(value, most):
                is_sum = value.terms[1:] or value.total_degree > 1 or value.content > 1
                return [f"{self.printer.polynomial(value, 'long long' if is_sum else '')} <= {most}"]
            case ManyBlocks(least):
                return [f"{self.count_of_blocks()} >= {least}"]

    def count_of_blocks(self) -> str:
        """The number of blocks of the grid, as C text."""
        grid, rank = self.own("grid"), self.launch.grid_rank
        return " * ".join([f"(size_t){grid}.x", f"{grid}.y", f"{grid}.z"][:rank])

    def disjoint(self, rows: tuple[tuple[str, tuple[str, ...]], ...]) -> str:
        """Whether no array overlaps those in its row, in one call."""
        texts = [f"{self.memory(array)}, {{{', '.join(map(self.memory, others))}}}" for array, others in rows]
        text = texts[0] if len(texts) == 1 else "{" + ", ".join(f"{{{row}}}" for row in texts) + "}"
        return f"accache_disjoint({text})"

    def is_aligned(self, alignment: Alignment) -> list[str]:
        """Tests of what a kernel takes to be aligned."""
        values = {item.name: item for item in self.launch.parameters}
        tests = [f"{self.arguments(values[name])[0]} % {factor} == 0" for name, factor in alignment.multiples]
        arrays = ", ".join(map(self.stub.address, alignment.arrays))
        return [f"accache_aligned({{{arrays}}})", *tests] if arrays else tests

    def memory(self, name: str) -> str:
        """An address inside of what is mapped of a variable, as the run-time library takes it."""
        ctype = next(item.variable.type for item in self.stub.parameters if item.name == name)
        return memory(self.mapped(name)[0], element_type(ctype) or ctype)

    def launch_one(self, version: Version) -> list[str]:
        """One ``<<<>>>`` and its check, or those of every slice of the grid."""
        kernel = version.kernel
        lines, arguments = self.passed(kernel)
        own = kernel.layout.dynamic_bytes
        size = self.lines.shared_bytes() if kernel.lines is not None else str(own)
        grid, block = self.shape(version)
        launched = self.own("slice") if kernel.sliced else grid
        configuration = f"{launched}, {block}"
        if own or (kernel.lines is not None and kernel.layout.static_bytes):
            lines.append(f"accache_allow_shared((const void *){kernel.name}, {size});")
        if size != "0" or self.stub.region.execution.queue is not None:
            configuration += f", {size}"
        stream = self.stub.own("stream") if self.stub.region.execution.queue is not None else ""
        if stream:
            configuration += f", {stream}"
        place = f"{size}, {self.stub.file}, {self.launch.kernel.line}"
        launch = [
            f"{kernel.name}<<<{configuration}>>>({', '.join(arguments)});",
            f"accache_launched({quoted(kernel.name)}, {launched}, {block}, {place});",
        ]
        if kernel.lines is not None:
            launch = self.lines.noted(launch, launched, stream)
        return [*lines, *(self.for_slices(kernel.sliced, grid, launched, launch) if kernel.sliced else launch)]

    def for_slices(self, axis: str, grid: str, launched: str, launch: list[str]) -> list[str]:
        """The launches of as many blocks as an axis holds, until the whole grid has run."""
        start = self.own(f"{axis}_start")
        return [
            f"for (unsigned {start} = 0; {start} < {grid}.{axis}; {start} += {LARGEST_YZ}) {{",
            f"    const dim3 {launched} = accache_slice({grid}, &dim3::{axis}, {start});",
            *(f"    {line}" for line in launch),
            "}",
        ]

    def passed(self, kernel: KernelPlan) -> tuple[list[str], list[str]]:
        """The statements that look up what a version of the kernel takes, and its arguments."""
        lines: list[str] = []
        arguments = [text for parameter in self.launch.parameters for text in self.arguments(parameter)]
        for extent in kernel.arrays.extents:
            if extent.hull is not None:
                arguments += (self.fetching.polynomial(end, "long long") for end in extent.hull)
                continue
            name = self.extent_name(extent.array)
            where, shift = self.mapped(extent.array)
            size = self.element_size(extent.element)
            lines.append(f"const accache_extent {name} = accache_extent_of({where}, {size});")
            arguments += [f"{name}.first{shift}", f"{name}.end{shift}"]
        lines += self.reached(kernel)
        arguments += [self.own(slices.name) for slices in kernel.slices]
        arguments += [self.own(f"{kernel.sliced}_start")] if kernel.sliced else []
        arguments += self.lines.arguments() if kernel.lines is not None else []
        return lines, arguments

    def reached(self, kernel: KernelPlan) -> list[str]:
        """Statements that end the program if a version refers to memory that is not on the device.

        A GPU would read what lies there; a tile, whose fetch is clipped to what is there, would hide it.
        """
        texts = (
            self.reached_elements(item, kernel) if isinstance(item, ReachedArray) else [self.reached_members(item)]
            for item in kernel.arrays.reached
        )
        return [line for lines in texts for line in lines]

    def reached_elements(self, array: ReachedArray, kernel: KernelPlan) -> list[str]:
        """The statements that look for elements."""
        where, shift = self.mapped(array.array)
        there = f"accache_extent_of({where}, {self.element_size(array.element)})"
        if any(extent.array == array.array for extent in kernel.arrays.extents):
            there = self.extent_name(array.array)
        name, before = quoted(self.printer.name(array.array)), shift.removeprefix(" + ") or "0"
        lines = []
        for part in array.reached:
            ends = ", ".join(self.fetching.polynomial(end, "long long") for end in (part.first, part.last))
            call = f"accache_{'fetches' if array.is_fetched else 'reaches'}({there}, {before}, {ends}, {name});"
            counts = (self.fetching.polynomial(count, "long long") for count in part.counts)
            condition = " && ".join(f"{count} > 0" for count in counts)
            lines.append(f"if ({condition}) {call}" if condition else call)
        return lines

    def extent_name(self, array: str) -> str:
        """The variable that holds what is mapped of an array."""
        return self.stub.own(f"{self.printer.name(array)}_extent")

    def reached_members(self, structure: ReachedStructure) -> str:
        """The statement that looks for the members of a structure."""
        name = self.printer.name(structure.pointer)
        bytes_used = f"sizeof *{name}"
        if structure.last:
            bytes_used = f"(const char *)(&{name}->{structure.last} + 1) - (const char *){name}"
        return f"accache_reaches_members({name}, {bytes_used}, {quoted(name)});"

    def mapped(self, array: str) -> tuple[str, str]:
        """An address inside of what is mapped of an array, and how many elements it is from the array's first.

        The array's first element itself need not be mapped: the address then only serves to compute others.
        It is the host's, by which the present table knows an array; a firstprivate one has a copy apart from that.
        """
        clause = next(item.clause for item in self.stub.parameters if item.name == array)
        is_apart = clause is not None and clause.action == "firstprivate"
        address = self.stub.address(array) if is_apart else self.printer.name(array)
        if clause is None or clause.action == "deviceptr":
            return address, ""
        part = DataPrinter(self.printer, in_stub=True).section(clause.subarray)
        if not part.offset:
            return address, ""
        return part.address(address, "+"), f" + {self.elements_before(clause, part)}"

    def elements_before(self, clause: DataClause, part: Mapped) -> str:
        """How many elements of an array stand before those that a clause names."""
        if part.unit:
            return f"(long long){part.offset}"
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

    def element_size(self, element: CType) -> str:
        """The size of an array's single element."""
        return f"sizeof({self.printer.type(unqualified(element))})"

    def arguments(self, parameter: Parameter) -> list[str]:
        """A kernel's arguments for one variable."""
        name = self.printer.name(parameter.name)
        if parameter.role in ("array", "memory"):
            return [self.stub.address(parameter.name)]
        if parameter.role == "value":
            return [f"*{name}" if parameter.name in self.printer.dereferenced else name]
        reduction = next(item for item in self.launch.partials if item.target == parameter.name)
        buffer = self.stub.partials(reduction, self.suffix)
        if parameter.role == "elements":
            return [buffer]
        return [buffer] if initial_value(reduction) else [self.value_so_far(reduction), buffer]

    def value_so_far(self, reduction: Reduction) -> str:
        """What a reduction starts from that may combine it more than once: what the device has, if it has a copy."""
        name = self.printer.name(reduction.target)
        return f"accache_current({name})" if self.stub.may_be_mapped(reduction) else f"*{name}"

    def buffers(self, condition: str) -> list[str]:
        """Room on the device for each block's part of each reduction, and for its copies of arrays."""
        count_of_blocks = self.own("blocks")
        product = self.count_of_blocks()
        blocks = f"{condition} ? {product} : 0" if condition else product
        lines = [f"const size_t {count_of_blocks} = {blocks};"]
        earlier = self.stub.launches[: self.number]
        first = sum(len(other.partials) for other in earlier)
        for slot, reduction in enumerate(self.launch.partials, first):
            name = self.stub.partials(reduction, self.suffix)
            ctype = self.printer.type(innermost(reduction.type))
            count = count_of_blocks + (f" * {prod(extents(reduction.type) or ())}" if reduction.is_array else "")
            lines.append(f"{ctype} *{name} = accache_partials<{ctype}>({count}, {slot});")
        return [*lines, *self.slices_of(self.launch.kernel)]

    def room_for_slices(self, version: Version, grid: str) -> list[str]:
        """The same for the copies of arrays of a version that has a grid of its own."""
        if not version.kernel.slices:
            return []
        blocks = f"(size_t){grid}.x * {grid}.y * {grid}.z"
        return [f"const size_t {self.own('blocks')} = {blocks};", *self.slices_of(version.kernel)]

    def slices_of(self, kernel: KernelPlan) -> list[str]:
        """Room for a version's copies of arrays."""
        earlier = self.stub.launches[: self.number]
        first = self.stub.count_of_partials + sum(len(other.slices) for other in earlier)
        return [self.slices(slices, slot) for slot, slices in enumerate(kernel.slices, first)]

    def slices(self, slices: Slices, slot: int) -> str:
        """Room for the copies of an array that blocks, or their workers or threads, have."""
        pointer, blocks = Pointer(slices.element), self.own("blocks")
        declared = self.printer.declare(pointer, self.own(slices.name))
        owners = f" * {slices.owners}" if slices.owners > 1 else ""
        count = self.fetching.expression(slices.count, LEVELS["unary"])
        size = f"{blocks}{owners} * (size_t){count} * sizeof({self.printer.type(slices.element)})"
        return f"{declared} = ({self.printer.type(pointer)})accache_scratch({size}, {slot});"


def _chosen(ways: list[tuple[list[str], list[str]]]) -> list[str]:
    """The first of several ways whose tests all hold; the last one has none."""
    lines: list[str] = []
    for number, (tests, inner) in enumerate(ways):
        head = f"if ({' && '.join(tests)}) {{" if tests else "{"
        lines += [f"}} else {head}" if number else head, *(f"    {line}" for line in inner)]
    return [*lines, "}"]


def _extents(block: tuple[int, int, int]) -> str:
    """The extents of a block, those behind the last that is not 1 left out."""
    x, y, z = block
    return ", ".join(map(str, (x, y, z)[: 3 if z > 1 else 2 if y > 1 else 1]))
