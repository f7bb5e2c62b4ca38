"""One kernel as CUDA text: its device functions, its signature, its body."""

from __future__ import annotations

from math import prod

from msgspec import Struct

from accache.base.text import Location
from accache.emit import templates
from accache.emit.kernels.atomics import print_atomic
from accache.emit.kernels.reductions import initial_value, reduce_view
from accache.emit.kernels.storage import SharedStorage
from accache.emit.kernels.tiles import TilePrinter
from accache.emit.naming import Namer, outer_names, wide_names
from accache.emit.parameters import array_type
from accache.emit.printer import Printer, line_directive
from accache.ir.arrays import extents, innermost
from accache.ir.build import INT, thread_number
from accache.ir.builtins import DEVICE_CALLS
from accache.ir.kernels.launch_plan import KernelPlan, Parameter
from accache.ir.kernels.simt import StorePartials
from accache.ir.names import START, user_name
from accache.ir.openacc.regions import Reduction
from accache.ir.sizes import padded
from accache.ir.tree import Block
from accache.ir.types import Arithmetic, Enum, Pointer, is_complex, resolve, underlying
from accache.ir.walk import declared_variables

NOWHERE = Location("", 0)


class KernelPrinter(Struct, frozen=True):
    """Prints one version of a kernel; ``taken`` are the program's names, ``line`` asks for #line directives."""

    kernel: KernelPlan
    parameters: tuple[Parameter, ...]
    taken: frozenset[str]
    line: bool = False

    def print(self) -> str:
        """The kernel's text."""
        printer = self.printer()
        block = self.kernel.block
        shared = self.storage(printer)
        tiles = TilePrinter(self.kernel.name, printer.expression(thread_number(block, NOWHERE)), shared)
        printer.access, printer.cell = tiles.access, tiles.cell
        printer.transfer, printer.round = tiles.transfer, tiles.round
        printer.reduce = lambda printer, stmt: str(
            templates.macros("cuda/statements.cu.jinja").reduce(reduce_view(stmt, printer, block))
        )
        printer.store = self.store_partials
        printer.atomic = print_atomic
        facts = self.facts(printer)
        body = printer.lines(_unwrapped(self.kernel.body).items, 1)
        routines = [
            self.traced(tiles.routines(printer, tile, self.kernel.body), tile.location) for tile in self.kernel.tiles
        ]
        ordered = sorted(self.kernel.tiles, key=lambda tile: tile.lines is not None)
        fixed = [tile for tile in ordered if tile.lines is None]
        storage = [line for tile in fixed for line in tiles.declarations(printer, tile)]
        storage = shared.declaration + storage + self.shared_arrays(printer, shared)
        storage += [line for tile in ordered[len(fixed) :] for line in tiles.declarations(printer, tile)]
        storage += self.reduction_variables(printer)
        if storage:
            storage.append("")
        text = templates.render(
            "cuda/kernel.cu.jinja",
            routines=[routine for routine in routines if routine],
            comments=self.comments(printer),
            threads=block[0] * block[1] * block[2],
            name=self.kernel.name,
            parameters=", ".join(self.signature(printer)) or "void",
            storage=storage,
            facts=facts,
            body=body,
        )
        return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"

    def facts(self, printer: Printer) -> list[str]:
        """What the launch has made sure of, told to the compiler, of those parameters that the kernel still has."""
        alignment, passed = self.kernel.arrays.alignment, {parameter.name for parameter in self.parameters}
        arrays = [printer.name(name) for name in alignment.arrays if name in passed]
        multiples = [(printer.name(name), factor) for name, factor in alignment.multiples if name in passed]
        return [f"{name} = accache_aligned({name});" for name in arrays] + [
            f"{name} = accache_multiple<{factor}>({name});" for name, factor in multiples
        ]

    def printer(self) -> Printer:
        """A printer with the kernel's names."""
        printed = self.kernel.names | self.position()
        passed = [parameter.name for parameter in self.parameters if parameter.role != "elements"]
        visible: set[str] = set()
        taken = self.taken | {user_name(name) for name in passed}
        namer = Namer(taken, self.kernel.generated, printed, outer_names(self.kernel.body))
        for name in passed:
            namer.parameter(name, visible)
        for shared in self.kernel.shared:
            namer.declare(shared.name, visible)
        for reduction in self.kernel.partials:
            target = reduction.target
            namer.declare(_buffer(target), visible, f"{printed.get(target, target.partition('#')[0])}_partials")
        namer.statement(self.kernel.body, visible)
        memory = frozenset(parameter.name for parameter in self.parameters if parameter.role == "memory")
        memory |= self.kernel.references
        wide = wide_names(((item.name, item.variable.type) for item in self.parameters), self.kernel.body)
        return Printer(printed, dereferenced=memory, line=self.line, calls=DEVICE_CALLS, wide=wide)

    def position(self) -> dict[str, str]:
        """How a block's position is spelt along the axis of which a launch has a slice of the blocks."""
        axis = self.kernel.sliced
        if not axis:
            return {}
        position = templates.macros("cuda/statements.cu.jinja").block(axis)
        return {f"@block.{axis}": f"({self.kernel.names[START.format(axis)]} + {position})"}

    def traced(self, text: str, location: Location) -> str:
        """A routine whose every line leads to the directive, where #line directives are asked for."""
        if not self.line or not text:
            return text
        return "\n".join(part for line in text.splitlines() for part in (*line_directive(location), line))

    def signature(self, printer: Printer) -> list[str]:
        """The kernel's parameters."""
        texts = []
        for parameter in self.parameters:
            texts += self.parameter(parameter, printer)
        for extent in self.kernel.arrays.extents:
            texts += [f"long long {printer.name(f'{extent.array}@{role}')}" for role in ("begin", "end")]
        texts += [printer.declare(Pointer(item.element), item.name) for item in self.kernel.slices]
        if self.kernel.sliced:
            start = printer.name(START.format(self.kernel.sliced))
            texts.append(printer.declare(Arithmetic("int", unsigned=True), start))
        return [*texts, printer.declare(INT, printer.name("@lines"))] if self.kernel.lines is not None else texts

    def parameter(self, parameter: Parameter, printer: Printer) -> list[str]:
        """The text of one parameter; a reduction takes a buffer, and the value so far if blocks start from it."""
        name, ctype = printer.name(parameter.name), parameter.variable.type
        if parameter.role == "array":
            is_apart = self.kernel.arrays.is_distinct and parameter.name not in self.kernel.arrays.exchanged
            return [printer.declare(array_type(ctype, parameter.written, is_apart), name)]
        if parameter.role == "memory":
            return [printer.declare(Pointer(ctype), name)]
        if parameter.role == "value":
            plain = resolve(ctype)
            return [printer.declare(underlying(plain) if isinstance(plain, Enum) else ctype, name)]
        reduction = next(item for item in self.kernel.partials if item.target == parameter.name)
        buffer = printer.declare(Pointer(innermost(reduction.type)), printer.name(_buffer(reduction.target)))
        if parameter.role == "elements":
            return [buffer]
        return [buffer] if initial_value(reduction) else [printer.declare(ctype, name), buffer]

    def storage(self, printer: Printer) -> SharedStorage:
        """Where the shared arrays go, by their printed names."""
        layout = self.kernel.layout
        offsets = {printer.name(name): offset for name, offset in layout.offsets.items()}
        pool = printer.name("@pool") if layout.is_pooled else ""
        return SharedStorage(pool, offsets, layout.pool_bytes, layout.is_dynamic, layout.has_reuse)

    def shared_arrays(self, printer: Printer, storage: SharedStorage) -> list[str]:
        """The gang-local arrays."""
        lines = []
        for shared in self.kernel.shared:
            base, _, shape = printer.declare(padded(shared), "@").partition("@")
            lines.append(storage(base.rstrip(), printer.name(shared.name), shape))
        return lines

    def reduction_variables(self, printer: Printer) -> list[str]:
        """Each thread's private part of a reduction over gangs."""
        declared = declared_variables(self.kernel.body)
        return [
            f"{printer.declare(item.type, printer.name(item.variable))} = {_start(item)};"
            for item in self.kernel.partials
            if initial_value(item) and not item.is_array and item.variable not in declared
        ]

    def store_partials(self, printer: Printer, stmt: StorePartials) -> str:
        """The statements with which a block's first thread stores the block's parts of reductions."""
        block = self.kernel.block
        conditions = [
            f"{printer.symbol(f'@thread.{axis}')} == 0" for axis, extent in zip("xyz", block, strict=True) if extent > 1
        ]
        stores = [line for reduction in stmt.reductions for line in self.store_partial(printer, reduction)]
        if not conditions:
            return "\n".join(stores)
        head, inner = f"if ({' && '.join(conditions)})", "\n".join(f"    {line}" for line in stores)
        return f"{head}\n{inner}" if len(stores) == 1 else f"{head} {{\n{inner}\n}}"

    def store_partial(self, printer: Printer, reduction: Reduction) -> list[str]:
        """The lines that store a block's part of one reduction, of an array in a loop over its elements."""
        number = self.block_number(printer)
        name, buffer = printer.name(reduction.variable), printer.name(_buffer(reduction.target))
        if not reduction.is_array:
            return [f"{buffer}[{number}] = {name};"]
        lengths = extents(reduction.type) or ()
        first = name + "[0]" * (len(lengths) - 1)
        k = "k" if name != "k" else "n"
        element = f"{name}[{k}]" if len(lengths) == 1 else f"(&{first}[0])[{k}]"
        count = prod(lengths)
        first_part = f"({number})" if " " in number else number
        return [
            f"for (int {k} = 0; {k} < {count}; ++{k})",
            f"    {buffer}[{first_part} * {count} + {k}] = {element};",
        ]

    def block_number(self, printer: Printer) -> str:
        """The number of a block in the whole grid."""
        x, y, z = (printer.symbol(f"@block.{axis}") for axis in "xyz")
        row = f"({z} * {printer.symbol('@grid.y')} + {y})" if self.kernel.grid_rank > 2 else y
        return x if self.kernel.grid_rank == 1 else f"{row} * {printer.symbol('@grid.x')} + {x}"

    def comments(self, printer: Printer) -> list[str]:
        """What the threads do together, and what is cached."""
        x, y, z = self.kernel.block
        shape = " x ".join(str(extent) for extent in (x, y, z) if extent > 1) or "1"
        over = ", ".join(dict.fromkeys(map(printer.name, self.kernel.loops)))
        what = f"parallel over {over}, " if over else ""
        plural = "s" if x * y * z > 1 else ""
        lines = [f"{self.kernel.function}(), line {self.kernel.line}: {what}{shape} thread{plural} a block."]
        for tile in self.kernel.tiles:
            shared = "one tile a block" if tile.scope == "block" else "one for each thread"
            policy = f", write-{tile.policy}" if tile.policy else ""
            lines.append(f"cache({tile.text}): {tile.method}, {shared}{policy}.")
        return [*lines, self.kernel.remark] if self.kernel.remark else lines


def _unwrapped(body: Block) -> Block:
    """A body without the braces that are around all of it."""
    while len(body.items) == 1 and isinstance(body.items[0], Block):
        body = body.items[0]
    return body


def _start(reduction: Reduction) -> str:
    """The initialiser of a thread's part of a reduction."""
    value = initial_value(reduction) or ""
    return f"{{{value}}}" if is_complex(reduction.type) else value


def _buffer(variable: str) -> str:
    """The unique name of the blocks' parts of a reduction's variable."""
    return f"{variable}@partials"
