"""The device functions that hold the loops of fetches and write-backs, and what kernels pass to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from accache.emit import templates
from accache.emit.expressions import ExpressionPrinter
from accache.emit.kernels.views import TileView, is_routine_name
from accache.emit.printer import Printer
from accache.ir.kernels.simt import CopyLoop, Fetch, WriteBack
from accache.ir.kernels.tile_copies import array_name
from accache.ir.kernels.tiles import TileCell
from accache.ir.walk import items_of

Views = tuple[TileView, ...]


def routine_name(stmt: Fetch | WriteBack, views: Views) -> str:
    """What the routine of a fetch or a write-back is called."""
    what = "fetch" if isinstance(stmt, Fetch) else "write_back"
    return f"{views[0].kernel}_{'_'.join(view.short for view in views)}_{what}"


def loop_routine(stmt: Fetch | WriteBack, loop: CopyLoop, views: Views, printer: ExpressionPrinter) -> str:
    """The routine around a loop."""
    is_fetch = isinstance(stmt, Fetch)
    names = _names(loop, views, is_fetch, printer)
    by_name = {view.tile: view for view in views}
    inner = Printer(names, cell=lambda printer, cell: cell_text(by_name[cell.tile.name], printer, cell))
    return templates.render(
        "cuda/copy_routine.cu.jinja",
        comment=_comment(stmt, loop, views, names),
        name=routine_name(stmt, views),
        parameters=", ".join(_parameters(loop, by_name, is_fetch, inner)),
        body=inner.lines(items_of(loop.body), 1),
    )


def arguments(loop: CopyLoop, views: Views, printer: ExpressionPrinter) -> str:
    """What a kernel passes to the routine."""
    by_name = {view.tile: view for view in views}
    texts = [by_name[tile.name].tile for tile in loop.tiles]
    texts += [by_name[tile.name].mask for tile in loop.marked]
    texts += [next(view.first_element for view in views if view.spec.array == array) for array in loop.arrays]
    return ", ".join([*texts, *(printer.expression(value.value) for value in loop.values)])


def cell_text(view: TileView, printer: ExpressionPrinter, cell: TileCell) -> str:
    """A cell of a tile's storage."""
    storage = view.mask if cell.part == "mask" else view.tile
    return storage + "".join(f"[{printer.expression(position)}]" for position in cell.positions) + view.own


def _names(loop: CopyLoop, views: Views, is_fetch: bool, printer: ExpressionPrinter) -> dict[str, str]:
    """The names of the routine's parameters; those of arrays are not those of its own variables."""
    names = {value.name: printer.name(value.name) if "@" in value.name else value.name for value in loop.values}
    for tile in loop.tiles if is_fetch and len(views) == 1 else ():
        names |= {f"{tile.array}@begin": "begin", f"{tile.array}@end": "end"}
    real = {view.spec.array: view.real_array for view in views}
    for array in loop.arrays:
        name, others = real[array], set(real.values()) - {real[array]}
        while is_routine_name(name) or name in others:
            name += "_array"
        names[array_name(array)] = name
    return names


def _parameters(loop: CopyLoop, views: Mapping[str, TileView], is_fetch: bool, printer: Printer) -> Iterable[str]:
    """The routine's parameters."""
    marks = "bool" if is_fetch else "const bool"
    yield from (f"{_type(views[tile.name], is_fetch)} {views[tile.name].own_parameter}" for tile in loop.tiles)
    yield from (f"{marks} (&{views[tile.name].mask}){views[tile.name].shape}" for tile in loop.marked)
    types = {view.spec.array: _type(view, not is_fetch) for view in views.values()}
    yield from (f"{types[array]} *{printer.name(array_name(array))}" for array in loop.arrays)
    yield from (printer.declare(value.type, printer.name(value.name)) for value in loop.values)


def _type(view: TileView, is_written: bool) -> str:
    """The type of the elements of a tile or its array, which the routine writes or reads."""
    return view.type if is_written else view.constant_type


def _comment(stmt: Fetch | WriteBack, loop: CopyLoop, views: Views, names: Mapping[str, str]) -> str:
    """What the threads do together."""
    arrays = _listed(names[array_name(array)] for array in loop.arrays) if loop.arrays else ""
    several, together = "s" if len(loop.tiles) > 1 else "", stmt.tiles[0].scope == "block"
    if isinstance(stmt, WriteBack):
        if loop.marked:
            return f"Write the changed elements of the tile{several} back to {arrays}."
        if not together:
            return f"Each thread writes its own tile{several} back to {arrays}."
        return f"All threads of the block write the tile{several} back to {arrays}, neighbouring elements side by side."
    if not loop.tiles:
        return f"Nothing of {_listed(dict.fromkeys(view.real_array for view in views))} is changed yet."
    if together:
        how = "each what it uses itself" if stmt.own else "neighbouring elements side by side"
        return f"All threads of the block copy the part{several} of {arrays} they need, {how}."
    return f"Each thread copies its own part{several} of {arrays}."


def _listed(names: Iterable[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
