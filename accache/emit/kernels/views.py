"""What the method templates see of one tile and of one reference: every text they print, decided here."""

from __future__ import annotations

from msgspec import Struct

from accache.base.text import Location
from accache.emit.expressions import LEVELS, ExpressionPrinter
from accache.emit.kernels.storage import SharedStorage
from accache.ir.arrays import inner_lengths
from accache.ir.constants import constant
from accache.ir.kernels.tile_copies import asked_for, index_type, words
from accache.ir.kernels.tiles import Tile, TileAccess
from accache.ir.sizes import alignment, tile_alignment
from accache.ir.tree import Expr
from accache.ir.types import unqualified

NOWHERE = Location("", 0)
ROUTINE_NAMES = frozenset((
    "k", "row", "rows", "column", "columns", "pitch", "count", "begin", "end", "position", "element", "value", "entry",
    "index", "first", "last", "round",
))  # fmt: skip
"""The names the templates' routines use for their own variables, some of them with a number."""


def is_routine_name(name: str) -> bool:
    """Whether the templates' routines may have a variable of this name."""
    return name.rstrip("0123456789") in ROUTINE_NAMES


class TileView(Struct, frozen=True):
    """The texts of one tile (``spec``), named as the templates use them.

    ``thread`` is a thread's number in its block, ``shared`` declares shared arrays.
    """

    spec: Tile
    printer: ExpressionPrinter
    kernel: str
    thread: str
    shared: SharedStorage

    def declaration(self, ctype: str, name: str, shape: str, alignment: int = 0) -> str:
        """The declaration of an array of the tile's: in shared memory, or each thread's in registers."""
        if self.spec.traits.in_registers:
            return f"{ctype} {name}{shape};"
        return self.shared(ctype, name, shape, alignment)

    @property
    def alignment(self) -> int:
        """The bytes that the tile is aligned to, 0 for those of its elements' type."""
        found = tile_alignment(self.spec)
        return found if found > alignment(self.spec.element) else 0

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
    def constant_type(self) -> str:
        """The type of an element that nobody writes; a pointer's own const stands behind its star."""
        return f"{self.type}const" if self.type.endswith("*") else f"const {self.type}"

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
        extents = list(map(str, self.spec.range.extents))
        if self.spec.range.pad:
            extents[-1] += f" + {self.spec.range.pad}"
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
        return f"{self.type} {self.own_parameter}"

    @property
    def own_parameter(self) -> str:
        """What stands behind the type of the tile as a parameter."""
        return f"(&{self.tile}){self.shape}"

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
    counts = [printer.expression(asked_for(dimension)) for dimension in access.tile.range.dimensions]
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
    if len(access.positions) == 1 or access.tile.has_range:
        return printer.expression(access.positions[0], 2)
    return printer.offset(access.positions, view.rows)
