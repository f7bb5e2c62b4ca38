"""Prints accesses, fetches and write-backs of tiles through the macros of their methods."""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from accache.emit import templates
from accache.emit.expressions import ExpressionPrinter
from accache.emit.kernels.copies import arguments, cell_text, loop_routine, routine_name
from accache.emit.kernels.emulated_views import EmulatedCacheView
from accache.emit.kernels.line_views import LinesView
from accache.emit.kernels.storage import SharedStorage
from accache.emit.kernels.views import TileView, access_view
from accache.ir.kernels.simt import Fetch, Round, WriteBack
from accache.ir.kernels.tiles import EmulatedCache, Lines, Tile, TileAccess, TileCell
from accache.ir.tree import STEPPING, Assign, Stmt
from accache.ir.walk import nodes_of, walk


class TilePrinter(Struct, frozen=True):
    """Prints one kernel's tiles; ``storage`` declares a shared array of a type, name and shape."""

    kernel: str
    thread: str
    storage: SharedStorage

    def access(self, printer: ExpressionPrinter, access: TileAccess, op: str, value: str | None) -> str:
        """A read (``op`` is '') or a write of a cached element."""
        view = self.view(access.tile, printer)
        plain = access_view(printer, access, view)
        read = str(_macros(access.tile).read(view, plain)).strip()
        if not op:
            return read
        if op in STEPPING:
            written = replace(plain, prefix=op[-2:], value=f"{read} {op[-1]} 1")
        else:
            new = value if op == "=" else f"{read} {op[:-1]} {_operand(value)}"
            written = replace(plain, assignment=f" {op} {value}", value=str(new))
        return str(_macros(access.tile).write(view, written)).strip()

    def transfer(self, printer: ExpressionPrinter, stmt: Fetch | WriteBack) -> str:
        """What fetches tiles or writes them back."""
        views, macros = self.views(stmt, printer), _macros(stmt.tiles[0])
        if stmt.loop is not None:
            return f"{routine_name(stmt, views)}({arguments(stmt.loop, views, printer)})"
        macro = macros.fetch if isinstance(stmt, Fetch) else macros.write_back
        return str(macro(views[0], routine_name(stmt, views))).strip()

    def cell(self, printer: ExpressionPrinter, cell: TileCell) -> str:
        """A cell of a tile's storage."""
        return cell_text(self.view(cell.tile, printer), printer, cell)

    def round(self, printer: ExpressionPrinter, stmt: Round) -> str:
        """What begins a round of a loop."""
        return str(_macros(stmt.tile).round(self.view(stmt.tile, printer), stmt.slice)).strip()

    def declarations(self, printer: ExpressionPrinter, tile: Tile) -> list[str]:
        """The shared storage of a tile."""
        return str(_macros(tile).declare(self.view(tile, printer))).strip().splitlines()

    def routines(self, printer: ExpressionPrinter, tile: Tile, body: Stmt) -> str:
        """The device functions of a tile, and of the copies in a kernel's body that it leads."""
        nodes = [node for node in walk(body) if isinstance(node, (Fetch, WriteBack)) and node.tiles[0] == tile]
        fetches = [self.routine(node, printer) for node in nodes if isinstance(node, Fetch)]
        write_backs = [self.routine(node, printer) for node in nodes if isinstance(node, WriteBack)]
        own = _macros(tile).routines(self.view(replace(tile, is_read=_is_read(tile, body)), printer))
        stripped = (str(text).strip("\n") for text in dict.fromkeys((*fetches, own, *write_backs)))
        return "\n\n".join(text for text in stripped if text)

    def routine(self, stmt: Fetch | WriteBack, printer: ExpressionPrinter) -> str:
        """The device function of a fetch or a write-back: its loop, or what the method's macros make of it."""
        views, macros = self.views(stmt, printer), _macros(stmt.tiles[0])
        if stmt.loop is not None:
            return loop_routine(stmt, stmt.loop, views, printer)
        macro = macros.fetch_routine if isinstance(stmt, Fetch) else macros.write_back_routine
        return str(macro(views[0], routine_name(stmt, views)))

    def view(self, tile: Tile, printer: ExpressionPrinter) -> TileView:
        """What the templates see of a tile."""
        common = (tile, printer, self.kernel, self.thread, self.storage)
        if isinstance(tile.storage, EmulatedCache):
            return EmulatedCacheView(*common, tile.storage)
        return LinesView(*common, tile.storage) if isinstance(tile.storage, Lines) else TileView(*common)

    def views(self, stmt: Fetch | WriteBack, printer: ExpressionPrinter) -> tuple[TileView, ...]:
        """What the templates see of the tiles of a fetch or a write-back."""
        return tuple(self.view(tile, printer) for tile in stmt.tiles)


def _is_read(tile: Tile, body: Stmt) -> bool:
    """Whether a kernel's body reads elements of a tile."""
    assigned = [node.target for node in nodes_of(body, Assign) if node.op == "="]
    written = sum(isinstance(target, TileAccess) and target.tile.name == tile.name for target in assigned)
    return sum(isinstance(node, TileAccess) and node.tile.name == tile.name for node in walk(body)) > written


def _macros(tile: Tile) -> Any:
    return templates.macros(f"cuda/methods/{tile.method}.cu.jinja")


def _operand(value: str | None) -> str:
    """A value as the right operand of a binary operator."""
    text = value or ""
    return text if text.replace(".", "").replace("_", "").isalnum() else f"({text})"
