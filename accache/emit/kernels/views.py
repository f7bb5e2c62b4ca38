"""What the method templates see of one tile and of one reference: every text they print, decided here."""

from __future__ import annotations

from msgspec import Struct

from accache.base.text import Location
from accache.emit.expressions import LEVELS, ExpressionPrinter
from accache.emit.kernels.storage import SharedStorage
from accache.ir.arrays import inner_lengths
from accache.ir.constants import constant
from accache.ir.simt import CALLS, Lines, Tile, TileAccess
from accache.ir.tile_copies import asked_for, index_type, words
from accache.ir.tree import Expr
from accache.ir.types import unqualified

NOWHERE = Location("", 0)
ROUTINE_NAMES = frozenset((
    "k", "row", "rows", "column", "columns", "pitch", "count", "begin", "end", "position", "element", "value", "entry",
    "index", "first", "last", "round",
))  # fmt: skip
"""The names the templates' routines use for their own variables, some of them with a number."""


def words_needed(lines: Lines, number: str, threads: str) -> str:
    """How many words of shared memory a block needs for so many lines a thread."""
    monitors = "" if lines.calls else ", false"
    return f"accache_private::words_needed({lines.arrays}, {number}, {threads}, {lines.bytes}{monitors})"


def is_routine_name(name: str) -> bool:
    """Whether the templates' routines may have a variable of this name."""
    return name.rstrip("0123456789") in ROUTINE_NAMES


class TileView(Struct, frozen=True):
    """The texts of one tile (``spec``), named as the templates use them.

    ``thread`` is a thread's number in its block, ``shared`` declares a shared array of a type, name and shape.
    """

    spec: Tile
    printer: ExpressionPrinter
    kernel: str
    thread: str
    shared: SharedStorage

    @property
    def short(self) -> str:
        """The tile's name in the names of its routines."""
        return self.tile.removesuffix("_tile")

    @property
    def routine(self) -> str:
        """The beginning of the names of its routines."""
        return f"{self.kernel}_{self.short}"

    @property
    def type(self) -> str:
        """The type of an element."""
        name = self.printer.type(unqualified(self.spec.element))
        return f"::{name}" if is_routine_name(name) else name

    @property
    def real_array(self) -> str:
        """The array in the kernel."""
        return self.printer.name(self.spec.array)

    @property
    def first_element(self) -> str:
        """A pointer to the array's first element."""
        rows = self.rows
        if not rows or any(constant(length) is None for length in rows):
            return self.real_array
        return f"&{self.real_array}{'[0]' * (len(rows) + 1)}"

    @property
    def rows(self) -> list[Expr]:
        """The lengths of the array's dimensions but the first."""
        return inner_lengths(self.spec.array_type)

    @property
    def tile(self) -> str:
        """The tile."""
        return self.spec.name

    @property
    def marker(self) -> str:
        """The mask, or a thread's flag."""
        return self.printer.name(f"{self.tile}@dirty")

    @property
    def mask(self) -> str:
        """The mask of the elements written, '' without one."""
        return self.marker if self.spec.tracking == "mask" else ""

    @property
    def flag(self) -> str:
        """The variable that tells whether the thread wrote its element, '' without one."""
        return self.marker if self.spec.tracking == "flag" else ""

    @property
    def shape(self) -> str:
        """The tile's dimensions; where each thread has a tile of its own, those of neighbours stand side by side."""
        copies = f"[{self.spec.threads}]" if self.own else ""
        extents = [str(dimension.extent) for dimension in self.spec.dimensions]
        if self.spec.pad:
            extents[-1] += f" + {self.spec.pad}"
        return "".join(f"[{extent}]" for extent in extents) + copies

    @property
    def own(self) -> str:
        """The last subscript of a cell where each thread has a tile of its own."""
        return "" if self.spec.scope == "block" or self.spec.traits.in_registers else f"[{self.thread}]"

    @property
    def reads(self) -> bool:
        """Whether the region reads elements."""
        return self.spec.is_read

    @property
    def writes(self) -> bool:
        """Whether the region writes elements."""
        return bool(self.spec.policy)

    @property
    def policy(self) -> str:
        """The write policy: back, through or ''."""
        return self.spec.policy

    @property
    def write_comment(self) -> str:
        """Where a write goes."""
        if self.policy == "through":
            return "in the tile if it lies there, and at once in memory"
        return "in the tile if it lies there, to be written back, else in memory"

    @property
    def tile_parameter(self) -> str:
        """The tile as a parameter."""
        return f"{self.type} (&{self.tile}){self.shape}"

    @property
    def mask_parameter(self) -> str:
        """The mask as a parameter, a comma behind it; '' without one."""
        return f"bool (&{self.mask}){self.shape}, " if self.mask else ""

    @property
    def mask_argument(self) -> str:
        """The mask as an argument, a comma behind it; '' without one."""
        return f"{self.mask}, " if self.mask else ""

    @property
    def position_parameters(self) -> str:
        """A position in each dimension, and how many there are."""
        index = self.printer.type(index_type(self.spec))
        return ", ".join(f"{index} {one}, int {many}" for one, many in words(self.spec))

    @property
    def position_cell(self) -> str:
        """The cell at these positions."""
        return "".join(f"[{one}]" for one, _ in words(self.spec)) + self.own

    @property
    def in_range(self) -> str:
        """Whether these positions lie in the tile."""
        return " && ".join(f"{one} >= 0 && {one} < {many}" for one, many in words(self.spec))

    @property
    def array(self) -> str:
        """The array as a parameter of an emulated cache's routines, whose other names it leaves alone."""
        return f"{self.real_array}_array" if is_routine_name(self.real_array) else self.real_array

    @property
    def tags(self) -> str:
        """Which elements an emulated cache's entries hold, counted from the array's first one."""
        return self.printer.name(f"{self.tile}@tags")

    @property
    def entries(self) -> int:
        """The entries of a thread's emulated cache."""
        return self.spec.entries

    @property
    def ways(self) -> int:
        """The entries of a set."""
        return self.spec.ways

    @property
    def associative(self) -> bool:
        """Whether a set has several entries."""
        return self.ways > 1

    @property
    def direct_entry(self) -> str:
        """The only entry for an index, where sets have one."""
        return f"(unsigned long long)index % {self.entries}"

    @property
    def first_of_set(self) -> str:
        """The first entry of the set an index belongs to."""
        if self.ways in (0, self.entries):
            return "0"
        return f"(unsigned long long)index % {self.entries // self.ways} * {self.ways}"

    @property
    def entry_shape(self) -> str:
        """The shape of an emulated cache and its tags."""
        return f"[{self.entries}][{self.spec.threads}]"

    @property
    def tags_parameter(self) -> str:
        """The tags as a parameter."""
        return f"long long (&{self.tags}){self.entry_shape}"

    @property
    def comma_mask_parameter(self) -> str:
        """The mask of an emulated cache as a parameter, a comma before it."""
        return f", bool (&{self.mask}){self.entry_shape}" if self.mask else ""

    @property
    def comma_mask_argument(self) -> str:
        """The mask as an argument, a comma before it."""
        return f", {self.mask}" if self.mask else ""

    @property
    def all_parameters(self) -> str:
        """An emulated cache and its array as parameters."""
        constant = "" if self.writes else "const "
        return (
            f"{self.type} (&{self.tile}){self.entry_shape}, {self.tags_parameter}{self.comma_mask_parameter}, "
            f"{constant}{self.type} *{self.array}"
        )

    @property
    def all_arguments(self) -> str:
        """An emulated cache and its array as arguments in the kernel."""
        return f"{self.tile}, {self.tags}{self.comma_mask_argument}, {self.first_element}"

    @property
    def inner_arguments(self) -> str:
        """An emulated cache and its array as arguments in one of its routines."""
        return f"{self.tile}, {self.tags}{self.comma_mask_argument}, {self.array}"

    @property
    def own_lines(self) -> Lines:
        """The line that each thread has for the array."""
        assert self.spec.lines is not None
        return self.spec.lines

    @property
    def number(self) -> int:
        """The array's number among those of the cache."""
        return self.own_lines.number

    @property
    def is_first(self) -> bool:
        """Whether it is the first array of the cache."""
        return self.number == 0

    @property
    def arrays(self) -> int:
        """How many arrays the cache has."""
        return self.own_lines.arrays

    @property
    def named_arrays(self) -> str:
        """How many in words."""
        return "one array" if self.arrays == 1 else f"{self.arrays} arrays"

    @property
    def monitors(self) -> bool:
        """Whether the block decides later which arrays have lines."""
        return bool(self.own_lines.calls)

    @property
    def undecided(self) -> str:
        """What the block decides later, or how it is decided."""
        if not self.monitors:
            return "if there are fewer lines, the first have them" if self.arrays > 1 else "it has the line"
        return "the block has not decided yet " + ("whether it has a line" if self.arrays == 1 else "which have lines")

    @property
    def line(self) -> int:
        """The bytes of a line."""
        return self.own_lines.bytes

    @property
    def threads(self) -> int:
        """The threads of a block."""
        return self.spec.threads

    @property
    def cache_type(self) -> str:
        """The type of a thread's cache; the number of calls that it monitors is told where it is not the usual one."""
        calls = f", {self.own_lines.calls}" if self.own_lines.calls != CALLS else ""
        return f"accache_private::cache<{self.arrays}, {self.line}, true{calls}>"

    @property
    def cache(self) -> str:
        """The cache of a thread."""
        return self.printer.name("@cache")

    @property
    def lines(self) -> str:
        """How many lines each thread has."""
        return self.printer.name("@lines")

    @property
    def words(self) -> str:
        """The shared memory of all lines."""
        return self.printer.name("@words")

    @property
    def declared_words(self) -> str:
        """The declaration of that memory."""
        return self.shared.words(self.words)

    @property
    def decision(self) -> str:
        """Its last words, by which the block decides."""
        return self.printer.name("@decision")

    @property
    def votes(self) -> int:
        """How many these are."""
        return self.arrays + 2

    @property
    def words_used(self) -> str:
        """How many words there are."""
        return words_needed(self.own_lines, self.lines, str(self.threads))

    @property
    def bound(self) -> str:
        """The call that says where the array lies."""
        begin, end = (self.printer.name(f"{self.spec.array}@{role}") for role in ("begin", "end"))
        size = f"({end} - {begin})*sizeof({self.type})"
        is_read_only = "false" if self.writes else "true"
        return f"{self.cache}.bind<{self.number}>({self.first_element} + {begin}, {size}, {is_read_only})"


class AccessView(Struct, frozen=True):
    """The texts of one reference: its cell of the tile, its position and count, the original element."""

    cell: str
    positions: str
    index: str
    original: str
    mark: str
    type: str
    prefix: str = ""
    assignment: str = ""
    value: str = ""


def access_view(printer: ExpressionPrinter, access: TileAccess, view: TileView) -> AccessView:
    """The texts of a reference, whatever it does with the element."""
    cells = "".join(f"[{printer.expression(position)}]" for position in access.positions) + view.own
    counts = [printer.expression(asked_for(dimension)) for dimension in access.tile.dimensions]
    pairs = zip((printer.expression(position, 2) for position in access.positions), counts, strict=False)
    return AccessView(
        cell=cells,
        positions=", ".join(f"{position}, {many}" for position, many in pairs),
        index=_index(printer, access, view),
        original=printer.expression(access.original, LEVELS["postfix"]),
        mark=f"{view.mask}{cells}" if view.mask else view.flag,
        type=printer.type(unqualified(access.type)),
    )


def _index(printer: ExpressionPrinter, access: TileAccess, view: TileView) -> str:
    """The element as an emulated cache counts it."""
    if len(access.positions) == 1 or not access.tile.entries:
        return printer.expression(access.positions[0], 2)
    return printer.offset(access.positions, view.rows)
