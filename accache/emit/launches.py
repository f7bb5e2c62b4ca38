"""The statements of a launch stub that launch one kernel."""

from __future__ import annotations

from collections import Counter
from math import prod

from msgspec import Struct

from accache.analysis.canonical import FAR, may_pass_end, trip_count
from accache.base.architectures import LARGEST_YZ
from accache.caching.footprints import hull, unproved_footprints
from accache.emit.data import DataPrinter
from accache.emit.expressions import LEVELS, ExpressionPrinter
from accache.emit.fetched import FetchingPrinter
from accache.emit.kernel import KernelText
from accache.emit.line_launches import LinePrinter
from accache.emit.parameters import Parameter
from accache.emit.reductions import functor, initial_value
from accache.emit.sections import memory, quoted
from accache.emit.stub_names import Launch, Stub, Version
from accache.ir.alignment import Alignment
from accache.ir.arrays import extents, inner_lengths, innermost
from accache.ir.as_polynomial import index_polynomial
from accache.ir.constants import constant
from accache.ir.names import user_name
from accache.ir.regions import DataClause, Reduction
from accache.ir.simt import CanonicalLoop, Extent, Slices
from accache.ir.tree import Expr
from accache.ir.types import Arithmetic, Pointer, element_type, exceeds_int, resolve, unqualified
from accache.mapping.mapped import MappedKernel

STRIDED_BLOCKS = 1024
MANY = 1 << 31
"""More iterations than the numbers of blocks and threads can say."""


class GridText(Struct, frozen=True):
    """The extents of a grid as C text, x first; ``counts`` are the names and values of trip counts they are made from.

    ``checks`` are statements that end the program where such a grid would not do.
    """

    extents: tuple[str, ...]
    counts: tuple[tuple[str, str], ...] = ()
    checks: tuple[str, ...] = ()


class LaunchPrinter(Struct, frozen=True):
    """Prints the launch of one of a stub's kernels."""

    stub: Stub
    number: int

    @property
    def launch(self) -> Launch:
        """The kernel."""
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
    def lines(self) -> LinePrinter:
        """Prints what threads with lines of their own need of the launch."""
        return LinePrinter(
            self.launch.text, self.launch.lowered.cached.kernel.threads, self.own("lines"), self.own("grid")
        )

    def own(self, name: str) -> str:
        """A name of this launch's own."""
        return self.stub.own(f"{name}{self.suffix}")

    def print(self) -> list[str]:
        """The statements that launch one kernel."""
        mapped = self.launch.lowered.cached.kernel
        lines: list[str] = []
        block, grid = self.own("block"), self.own("grid")
        lines.append(f"const dim3 {block}({_extents(mapped.block)});")
        shape = self.grid(mapped)
        lines += [f"const long long {name} = {value};" for name, value in shape.counts]
        lines += shape.checks
        lines.append(f"const dim3 {grid}({', '.join(shape.extents)});")
        condition = " && ".join(f"{name} > 0" for name, _ in shape.counts)
        inner = self.launch_statements(self.totals() if shape.extents != ("1",) else [])
        if self.launch.lowered.partials or self.launch.lowered.slices:
            lines += self.buffers(condition)
        if not condition:
            return lines + inner
        return [*lines, f"if ({condition}) {{", *(f"    {line}" for line in inner), "}"]

    def totals(self) -> list[str]:
        """The statements that combine the blocks' parts of each reduction on the device."""
        lines = []
        for reduction in self.launch.lowered.partials:
            if reduction.of_one_gang:  # all of them have the same
                continue
            combine = functor(reduction.operator, self.printer.type(innermost(reduction.type)))
            count = f", {prod(extents(reduction.type) or ())}" if reduction.is_array else ""
            parts, blocks = self.stub.partials(reduction, self.suffix), self.own("blocks")
            lines.append(f"accache_total<{combine}>({parts}, {blocks}{count});")
        return lines

    def grid(self, mapped: MappedKernel) -> GridText:
        """The grid of a kernel; trip counts that are no constants get names."""
        if mapped.gangs:
            texts = [self.printer.expression(size) for size in mapped.gangs]
            return GridText(tuple(text if text.isdigit() else f"{text} > 0 ? {text} : 1" for text in texts))
        if not mapped.grid_loops:
            return GridText(("1",))
        if mapped.is_general:
            return GridText((str(STRIDED_BLOCKS),))
        counts: list[tuple[str, str]] = []
        checks: list[str] = []
        extents: list[str] = []
        for loop, threads in zip(mapped.counted_loops, mapped.grid_threads, strict=True):
            count = self.trip_count(loop)
            if count.isdigit() and 0 < int(count) < MANY:
                needed = -(-int(count) // threads)
                extents.append(str(min(needed, LARGEST_YZ) if extents and mapped.strides else needed))
                continue
            name = self.own(f"{loop.variable.partition('#')[0]}_count")
            counts.append((name, count))
            checks += self.strided(loop, threads) if loop is mapped.counted_loops[-1] else []
            blocks = name if threads == 1 else f"({name} + {threads - 1}) / {threads}"
            extents.append(blocks)
        return GridText(tuple(self.capped(mapped.most_blocks, extents)), tuple(counts), tuple(checks))

    def capped(self, most: int, extents: list[str]) -> list[str]:
        """The extents of a grid whose last loop strides where there would be too many blocks."""
        if not most:
            return extents
        if all(extent.isdigit() for extent in extents):
            return [*extents[:-1], str(min(int(extents[-1]), max(1, most // prod(map(int, extents[:-1])))))]
        *others, last = extents
        product = " * ".join(others if len(others) < 2 else [f"({extent})" for extent in others])
        return [*others, f"accache_at_most({', '.join([str(most), last, *([product] if others else [])])})"]

    def strided(self, loop: CanonicalLoop, threads: int) -> list[str]:
        """The statement that ends the program if an int that strides for a reduction would pass the end of its type."""
        kernel = self.launch.lowered.cached.kernel
        most, threads = kernel.most_blocks, min(threads, kernel.threads)
        if not most or exceeds_int(loop.type) or constant(loop.limit) is not None or may_pass_end(loop, threads):
            return []
        stride = most * threads * loop.step
        return [f"accache_strides({self.widened(loop.limit)}, {stride}, {quoted(user_name(loop.variable))});"]

    def trip_count(self, loop: CanonicalLoop) -> str:
        """How many iterations a loop has, as C text; zero or negative if none."""
        first, limit = index_polynomial(loop.first), index_polynomial(loop.limit)
        if loop.may_not_start:
            return self.fetching.expression(trip_count(loop, loop.first))
        distance = abs(loop.step)
        extra = distance - 1 + (loop.operator in ("<=", ">="))
        if first is not None and limit is not None and _is_int(loop.first) and _is_int(loop.limit):
            span = (limit - first if loop.step > 0 else first - limit) + extra
            is_far = (first.names and limit.names) or abs(span.constant_term) > FAR
            text = self.fetching.polynomial(span, "long long" if is_far else "")
            simple = len(span.terms) == 1
        else:
            ends = (loop.limit, loop.first) if loop.step > 0 else (loop.first, loop.limit)
            left, right = (self.widened(end) for end in ends)
            is_zero = constant(ends[1]) == 0
            text = (left if is_zero else f"{left} - {right}") + (f" + {extra}" if extra else "")
            simple = is_zero and not extra
        if distance == 1:
            return text
        return f"{text} / {distance}" if simple else f"({text}) / {distance}"

    def widened(self, expr: Expr) -> str:
        """An operand in 64 bits."""
        return f"(long long){self.fetching.expression(expr, LEVELS['unary'])}"

    def launch_statements(self, totals: list[str]) -> list[str]:
        """The launch itself, choosing the version without caches where arrays overlap or are short, or sums wrap.

        It ends with ``totals``, which a version that one thread runs has no need of.
        """
        if self.launch.fallback is None and self.launch.unaligned is None:
            return [*self.launch_one(self.launch.text), *totals]
        is_for_all = self.launch.lowered.cached.kernel.sequential is None
        ways = self.ways([] if is_for_all else totals)
        return [*self.lines.declaration(), *_chosen(ways), *(totals if is_for_all else [])]

    def ways(self, totals: list[str]) -> list[tuple[list[str], list[str]]]:
        """The versions with the tests that they must pass; ``totals`` are the first one's own."""
        cached = self.launch.lowered.cached
        tests = [self.disjoint()] if self.launch.pairs else []
        tests += [self.holds(array, extent) for array, extent in cached.assumptions]
        tests += [f"{self.fetching.polynomial(most, 'double')} <= UINT_MAX" for most in cached.sums]
        own = [*tests, *self.lines.tests(), *self.is_aligned(cached.kernel.alignment)]
        own += self.is_large(cached.kernel, cached.fewest_blocks) if cached.fewest_blocks else []
        ways = [(own, [*self.launch_one(self.launch.text), *totals])]
        if self.launch.unaligned is not None:
            ways.append(self.without_alignment(self.launch.unaligned, tests))
        if self.launch.fallback is not None:
            ways.append(([], self.alone(self.launch.fallback)))
        return ways

    def alone(self, text: KernelText) -> list[str]:
        """The launch of the version that any launch may take."""
        cached = self.launch.lowered.cached
        if cached.single is not None:
            return self.version("single", cached.single, text)
        if cached.kernel.lengthwise is not None:
            return self.version("lengthwise", cached.kernel.lengthwise, text)
        return self.launch_one(text, ("1", "1") if cached.kernel.sequential is not None else None)

    def without_alignment(self, version: Version, tests: list[str]) -> tuple[list[str], list[str]]:
        """The launch of the version without wide accesses, and what it must pass besides the others' ``tests``."""
        cached = version.lowered.cached
        tests = tests + (self.is_large(cached.kernel, cached.fewest_blocks) if cached.fewest_blocks else [])
        return tests, self.version("unaligned", cached.kernel, version.text)

    def is_large(self, kernel: MappedKernel, blocks: int) -> list[str]:
        """Tests that most threads have all their iterations, and that there are blocks enough to fill a GPU.

        Where the iterations of a thread along x are a block's width apart, those of a block reach far.
        """
        count, reach = self.trip_count(kernel.counted_loops[0]), kernel.grid_threads[0]
        is_strided = dict(kernel.outputs).get("x", 1) > 1 and not kernel.is_blocked
        if is_strided and not (count.isdigit() and int(count) >= 2 * reach):
            name = f"{kernel.counted_loops[0].variable.partition('#')[0]}_count"
            tests = [f"{count if count.isdigit() else self.own(name)} >= {2 * reach}"]
        else:
            tests = []
        return [*tests, f"{self.count_of_blocks()} >= {blocks}"]

    def version(self, what: str, kernel: MappedKernel, text: KernelText) -> list[str]:
        """The launch of another version, whose grid and blocks have names of their own."""
        block, grid = self.own(f"{what}_block"), self.own(f"{what}_grid")
        return [
            f"const dim3 {block}({_extents(kernel.block)});",
            f"const dim3 {grid}({', '.join(self.grid(kernel).extents)});",
            *self.launch_one(text, (grid, block)),
        ]

    def count_of_blocks(self) -> str:
        """The number of blocks of the grid, as C text."""
        grid, rank = self.own("grid"), self.launch.lowered.cached.kernel.grid_rank
        return " * ".join([f"(size_t){grid}.x", f"{grid}.y", f"{grid}.z"][:rank])

    def disjoint(self) -> str:
        """Whether no pair that the launch must test overlaps: one call, in which each row is an array against others.

        The array of the most pairs comes first, which is one that the kernel writes.
        """
        rows = []
        pairs = list(self.launch.pairs)
        while pairs:
            counts = Counter(name for pair in pairs for name in pair)
            array = max(counts, key=lambda name: counts[name])
            others = [second if first == array else first for first, second in pairs if array in (first, second)]
            rows.append(f"{self.memory(array)}, {{{', '.join(map(self.memory, others))}}}")
            pairs = [pair for pair in pairs if array not in pair]
        text = rows[0] if len(rows) == 1 else "{" + ", ".join(f"{{{row}}}" for row in rows) + "}"
        return f"accache_disjoint({text})"

    def holds(self, array: str, extent: Extent) -> str:
        """Whether elements of an array are on the device."""
        first, end = map(self.printer.polynomial, extent)
        return f"accache_holds({self.printer.name(array)}, {self.element_size(array)}, {first}, {end})"

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

    def launch_one(self, text: KernelText, shape: tuple[str, str] | None = None) -> list[str]:
        """One ``<<<>>>`` and its check, in a grid of blocks that have names or sizes of their own, or those of all."""
        lines = []
        arguments = []
        for parameter in self.launch.parameters:
            arguments += self.arguments(parameter)
        for array in text.extents:
            if self.is_device_pointer(array):
                arguments += self.hull(array)
                continue
            extent = self.stub.own(f"{self.printer.name(array)}_extent")
            where, shift = self.mapped(array)
            lines.append(f"const accache_extent {extent} = accache_extent_of({where}, {self.element_size(array)});")
            arguments += [f"{extent}.first{shift}", f"{extent}.end{shift}"]
            lines += self.reached(array, extent, shift.removeprefix(" + ") or "0")
        arguments += [self.own(slices.name) for slices in self.launch.lowered.slices]
        is_cached = text is self.launch.text
        arguments += self.lines.arguments() if is_cached else []
        size = self.lines.shared_bytes() if is_cached else str(text.shared_bytes)
        grid, block = shape or (self.own("grid"), self.own("block"))
        configuration = f"{grid}, {block}"
        if text.shared_bytes:
            lines.append(f"accache_allow_shared((const void *){text.name}, {size});")
        if size != "0" or self.stub.region.queue is not None:
            configuration += f", {size}"
        if self.stub.region.queue is not None:
            configuration += f", {self.stub.own('stream')}"
        lines.append(f"{text.name}<<<{configuration}>>>({', '.join(arguments)});")
        line = self.launch.lowered.cached.kernel.line
        place = f"{size}, {self.stub.file}, {line}"
        lines.append(f"accache_launched({quoted(text.name)}, {grid}, {block}, {place});")
        return lines

    def is_device_pointer(self, array: str) -> bool:
        """Whether a pointer holds a device address, around which nobody knows what belongs to it."""
        clause = next(item.clause for item in self.stub.parameters if item.name == array)
        return clause is not None and clause.action == "deviceptr"

    def hull(self, array: str) -> list[str]:
        """The first of the elements that a kernel refers to, and the one behind the last."""
        found = hull(self.launch.lowered.cached.kernel, array)
        assert found is not None
        return [self.fetching.polynomial(end, "long long") for end in (found.first, found.last + 1)]

    def reached(self, array: str, extent: str, before: str) -> list[str]:
        """Statements that end the program if the kernel refers to elements that are not on the device.

        A tile, whose fetch is clipped to what is there, would hide it.
        """
        lines = []
        known = {item.name for item in self.stub.parameters}
        for part in unproved_footprints(self.launch.lowered.cached.kernel, array):
            ends = ", ".join(self.fetching.polynomial(end, "long long") for end in (part.first, part.last))
            call = f"accache_reaches({extent}, {before}, {ends}, {quoted(self.printer.name(array))});"
            counts = (self.fetching.polynomial(count, "long long") for count in part.counts)
            condition = " && ".join(f"{count} > 0" for count in counts)
            if part.names <= known:
                lines.append(f"if ({condition}) {call}" if condition else call)
        return lines

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
        tiles = (tile for launch in self.stub.launches for tile in launch.lowered.cached.tiles)
        tile = next(tile for tile in tiles if tile.array == array)
        return f"sizeof({self.printer.type(unqualified(tile.element))})"

    def arguments(self, parameter: Parameter) -> list[str]:
        """A kernel's arguments for one variable."""
        name = self.printer.name(parameter.name)
        if parameter.role in ("array", "memory"):
            return [self.stub.address(parameter.name)]
        if parameter.role == "value":
            return [f"*{name}" if parameter.name in self.printer.dereferenced else name]
        reduction = next(item for item in self.launch.lowered.partials if item.target == parameter.name)
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
        first = sum(len(other.lowered.partials) for other in earlier)
        for slot, reduction in enumerate(self.launch.lowered.partials, first):
            name = self.stub.partials(reduction, self.suffix)
            ctype = self.printer.type(innermost(reduction.type))
            count = count_of_blocks + (f" * {prod(extents(reduction.type) or ())}" if reduction.is_array else "")
            lines.append(f"{ctype} *{name} = accache_partials<{ctype}>({count}, {slot});")
        first = self.stub.count_of_partials + sum(len(other.lowered.slices) for other in earlier)
        for slot, slices in enumerate(self.launch.lowered.slices, first):
            lines.append(self.slices(slices, slot))
        return lines

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


def _is_int(expr: Expr) -> bool:
    """Whether an expression is computed in plain int."""
    plain = resolve(expr.type)
    return isinstance(plain, Arithmetic) and plain.name == "int" and not plain.unsigned
