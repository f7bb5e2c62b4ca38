"""What the method templates see: every text a tile's macros print, decided here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod

from accache.analysis.canonical import constant
from accache.emit import templates
from accache.emit.printer import LEVELS, Printer, inner_lengths
from accache.ir.polynomial import Polynomial
from accache.ir.simt import Fetch, Formula, Tile, TileAccess, TileDimension, WriteBack
from accache.ir.tree import Cast
from accache.ir.types import Arithmetic, unqualified
from accache.planning.sharing import WIDTH
from accache.planning.tilecode import index_type
from accache.text import Location

WIDE = Arithmetic("long long")
NOWHERE = Location("", 0)
ROUTINE_NAMES = frozenset(
    [
        "k",
        "row",
        "rows",
        "column",
        "columns",
        "pitch",
        "count",
        "begin",
        "end",
        "position",
        "element",
        "value",
        "entry",
        "index",
        "first",
        "last",
    ]
)
"""The names the templates' routines use for their own variables."""
WORDS = {1: (("position", "count"),), 2: (("row", "rows"), ("column", "columns"))}


@dataclass(frozen=True)
class TileView:
    """The texts of one tile, named as the templates use them."""

    routine: str
    type: str
    array: str
    tile: str
    mask: str
    tags: str
    shape: str
    entries: int
    ways: int
    associative: bool
    first_of_set: str
    threads: int
    thread: str
    reads: bool
    writes: bool
    fetches: bool
    collects: bool
    policy: str
    fetch_comment: str
    write_comment: str
    write_back_comment: str
    tile_parameter: str
    mask_parameter: str
    mask_argument: str
    source_parameter: str
    source_argument: str
    range_parameters: str
    range_arguments: str
    start_parameters: str
    start_arguments: str
    flat_array: str
    position_parameters: str
    position_cell: str
    in_range: str
    unroll: str
    first: str
    advance: str
    elements: int
    split: tuple[str, ...]
    element_cell: str
    element_index: str
    fetch_condition: str
    own_element: str
    own_cell: str
    flag: str
    entry_shape: str
    shared: Callable[[str, str, str], str]
    tags_parameter: str
    comma_mask_parameter: str
    comma_mask_argument: str
    all_parameters: str
    all_arguments: str
    inner_arguments: str


@dataclass(frozen=True)
class AccessView:
    """The texts of one reference: its cell of the tile, its position and count, the original element."""

    cell: str
    positions: str
    index: str
    original: str
    mark: str
    prefix: str = ""
    assignment: str = ""
    value: str = ""


@dataclass(frozen=True)
class TilePrinter:
    """Prints accesses, fetches and write-backs through the macros of each tile's method."""

    kernel: str
    thread: str
    block_threads: int
    storage: Callable[[str, str, str], str]

    def access(self, printer: Printer, access: TileAccess, op: str, value: str | None) -> str:
        """A read (``op`` is '') or a write of a cached element."""
        tile = access.tile
        view = self.view(tile, printer)
        macros = templates.macros(f"cuda/methods/{tile.method}.cu.jinja")
        plain = self._access_view(printer, access)
        read = str(macros.read(view, plain)).strip()
        if not op:
            return read
        if op in ("++", "--", "p++", "p--"):
            written = replace(plain, prefix=op[-2:], value=f"{read} {op[-1]} 1")
        else:
            new = value if op == "=" else f"{read} {op[:-1]} {_operand(value)}"
            written = replace(plain, assignment=f" {op} {value}", value=str(new))
        return str(macros.write(view, written)).strip()

    def transfer(self, printer: Printer, stmt: Fetch | WriteBack) -> str:
        """The call that fetches a tile or writes it back."""
        view = self.view(stmt.tile, printer, stmt if isinstance(stmt, WriteBack) else None)
        macros = templates.macros(f"cuda/methods/{stmt.tile.method}.cu.jinja")
        return str((macros.fetch if isinstance(stmt, Fetch) else macros.write_back)(view)).strip()

    def declarations(self, printer: Printer, tile: Tile) -> list[str]:
        """The shared storage of a tile."""
        text = templates.macros(f"cuda/methods/{tile.method}.cu.jinja").declare(self.view(tile, printer))
        return str(text).strip().splitlines()

    def routines(self, printer: Printer, tile: Tile) -> str:
        """The device functions of a tile."""
        text = templates.macros(f"cuda/methods/{tile.method}.cu.jinja").routines(self.view(tile, printer))
        return str(text).strip("\n")

    def _access_view(self, printer: Printer, access: TileAccess) -> AccessView:
        tile = access.tile
        cells = "".join(f"[{printer.expression(position)}]" for position in access.positions)
        cells += f"[{self.thread}]" if tile.scope == "thread" else ""
        counts = [self.count(printer, dimension) for dimension in tile.dimensions]
        pairs = zip((printer.expression(position, 2) for position in access.positions), counts, strict=False)
        return AccessView(
            cell=cells,
            positions=", ".join(f"{position}, {count}" for position, count in pairs),
            index=printer.expression(access.positions[0], 2),
            original=printer.expression(access.original, LEVELS["postfix"]),
            mark=_mark(printer, tile, cells),
        )

    def count(self, printer: Printer, dimension: TileDimension) -> str:
        """How many elements of a dimension the block's active threads ask for."""
        sigma = abs(dimension.rate * dimension.step)
        if dimension.limit is not None:
            wide = printer.expression(Cast(WIDE, NOWHERE, Formula(WIDE, NOWHERE, dimension.limit)))
            return f"(int)min({dimension.length}LL, {wide})"
        if not dimension.axis or not sigma:
            return str(dimension.length)
        width = Polynomial.symbol(WIDTH.format(dimension.variable))
        return printer.polynomial((width - 1) * sigma + dimension.length)

    def view(self, tile: Tile, printer: Printer, write_back: WriteBack | None = None) -> TileView:
        """Every text of a tile."""
        name = printer.name
        array, element = _parameter_name(name(tile.array)), printer.type(unqualified(tile.element))
        words = WORDS.get(len(tile.dimensions)) or tuple(
            (f"position{number}", f"count{number}") for number in range(len(tile.dimensions))
        )
        shared = tile.scope == "block"
        copies = "" if shared else f"[{tile.threads}]"
        shape = "".join(f"[{dimension.extent}]" for dimension in tile.dimensions) + copies
        own = "" if shared else f"[{self.thread}]"
        marker = name(f"{tile.name}@dirty")
        mask = marker if tile.tracking == "mask" else ""
        counts = [self.count(printer, dimension) for dimension in tile.dimensions]
        elements = prod(dimension.extent for dimension in tile.dimensions)
        flat_pitches = self.pitches(printer, tile)
        pitch_names = tuple(f"pitch{number or ''}" for number in range(len(flat_pitches)))
        index_name = printer.type(index_type(tile))
        starts = [f"{index_name} {start}" for start in map(name, tile.starts)] + [
            f"long long {pitch}" for pitch in pitch_names
        ]
        start_values = [*map(name, tile.starts), *flat_pitches]
        variable = [count for count in counts if not count.isdigit()]
        ranges = [f"int {plural}" for (_, plural), count in zip(words, counts, strict=False) if not count.isdigit()]
        clip = ["long long begin", "long long end"] if tile.clipped and tile.dimensions else []
        clip_values = [name(f"{tile.array}@begin"), name(f"{tile.array}@end")] if clip else []
        split, cell, coordinates = _split(tile, words)
        index = _flat_index(tile, [name(start) for start in tile.starts], coordinates, pitch_names)
        reads = tile.is_read
        mask_parameter = f"bool (&{mask}){shape}, " if mask else ""
        tags = name(f"{tile.name}@tags")
        entry_shape = f"[{tile.entries}][{tile.threads}]"
        all_parts = [f"{element} (&{tile.name}){entry_shape}", f"long long (&{tags}){entry_shape}"]
        all_parts += [f"bool (&{mask}){entry_shape}"] if mask else []
        pointer = f"{element} *{array}" if tile.policy else f"const {element} *{array}"
        real = name(tile.array)
        flat = real if not inner_lengths(tile.array_type) or _is_flat(tile) else f"&{real}{_zeros(tile)}"
        return TileView(
            routine=f"{self.kernel}_{tile.name.replace('_tile', '')}",
            type=element,
            array=array,
            tile=tile.name,
            mask=mask,
            tags=tags,
            shape=shape,
            entries=tile.entries,
            ways=tile.ways,
            associative=tile.ways > 1,
            first_of_set=_first_of_set(tile),
            threads=tile.threads,
            thread=self.thread,
            reads=reads,
            writes=bool(tile.policy),
            fetches=reads or bool(mask),
            collects=bool(mask),
            policy=tile.policy,
            fetch_comment=_fetch_comment(tile, array, shared),
            write_comment=_write_comment(tile),
            write_back_comment=f"Write the changed elements of the tile back to {array}.",
            tile_parameter=f"{element} (&{tile.name}){shape}",
            mask_parameter=mask_parameter,
            mask_argument=f"{mask}, " if mask else "",
            source_parameter=f"const {element} *{array}, " if reads else "",
            source_argument=f"{flat}, " if reads else "",
            range_parameters=", ".join([*starts, *ranges, *clip]) if reads else "int",
            range_arguments=", ".join([*start_values, *variable, *clip_values]) if reads else "0",
            start_parameters=", ".join(starts),
            start_arguments=", ".join(start_values),
            flat_array=flat,
            position_parameters=", ".join(f"{index_name} {one}, int {many}" for one, many in words),
            position_cell="".join(f"[{one}]" for one, _ in words) + own,
            in_range=" && ".join(f"{one} >= 0 && {one} < {many}" for one, many in words),
            unroll="#pragma unroll",
            first=self.thread if shared else "0",
            advance=f"k += {self.block_threads}" if shared else "++k",
            elements=elements,
            split=split,
            element_cell=cell + own,
            element_index=index,
            fetch_condition=_condition(tile, words, counts, coordinates, index),
            own_element=self.own_element(printer, tile, flat_pitches),
            own_cell=self.own_cell(printer, tile),
            flag=marker if tile.tracking == "flag" else "",
            entry_shape=entry_shape,
            shared=self.storage,
            tags_parameter=f"long long (&{tags}){entry_shape}",
            comma_mask_parameter=f", bool (&{mask}){entry_shape}" if mask else "",
            comma_mask_argument=f", {mask}" if mask else "",
            all_parameters=", ".join([*all_parts, pointer]),
            all_arguments=", ".join([tile.name, tags, *([mask] if mask else []), real]),
            inner_arguments=", ".join([tile.name, tags, *([mask] if mask else []), array]),
        )

    def pitches(self, printer: Printer, tile: Tile) -> list[str]:
        """How far apart neighbours of each dimension but the last lie in memory."""
        if tile.pitches or len(tile.dimensions) < 2:
            return [printer.polynomial(pitch) for pitch in tile.pitches]
        texts = []
        lengths = inner_lengths(tile.array_type)
        for depth in range(len(lengths)):
            factors = [printer.expression(length, LEVELS["unary"]) for length in lengths[depth:]]
            texts.append("(long long)" + "*".join(factors) if len(factors) > 1 else factors[0])
        return texts

    def own_element(self, printer: Printer, tile: Tile, pitches: list[str]) -> str:
        """The element a thread owns, as written where it owns exactly one."""
        if tile.owned is None:
            return ""
        return printer.expression(tile.owned.original)

    def own_cell(self, printer: Printer, tile: Tile) -> str:
        """The owned element's cell of the tile."""
        if tile.owned is None:
            return ""
        return "".join(f"[{printer.expression(position)}]" for position in tile.owned.positions)


def _operand(value: str | None) -> str:
    """A value as the right operand of a binary operator."""
    text = value or ""
    return text if text.replace(".", "").replace("_", "").isalnum() else f"({text})"


def _first_of_set(tile: Tile) -> str:
    """The first entry of the set an index belongs to."""
    if tile.ways in (0, tile.entries):
        return "0"
    return f"(unsigned long long)index % {tile.entries // tile.ways} * {tile.ways}"


def _parameter_name(array: str) -> str:
    """The array's name in a routine, where the routine has names of its own."""
    return f"{array}_array" if array in ROUTINE_NAMES else array


def _mark(printer: Printer, tile: Tile, cells: str) -> str:
    """What a write sets beside the element: its place in the mask, or the thread's flag."""
    marker = printer.name(f"{tile.name}@dirty")
    return {"mask": f"{marker}{cells}", "flag": marker}.get(tile.tracking, "")


def _split(tile: Tile, words: tuple[tuple[str, str], ...]) -> tuple[tuple[str, ...], str, list[str]]:
    """The statements that split ``k`` into coordinates, the cell they name, and the coordinates."""
    if len(tile.dimensions) <= 1:
        return (), "[k]", ["k"]
    lines = []
    rest = "k"
    names = [one for one, _ in words]
    for number, one in enumerate(names[:-1]):
        inner = prod(dimension.extent for dimension in tile.dimensions[number + 1 :])
        lines.append(f"const int {one} = {rest} / {inner};")
        rest = f"k % {inner}"
    lines.append(f"const int {names[-1]} = {rest};")
    return tuple(lines), "".join(f"[{one}]" for one in names), names


def _flat_index(tile: Tile, starts: list[str], coordinates: list[str], pitches: tuple[str, ...]) -> str:
    """The array index of an element of the tile."""
    if not starts:
        return ""
    if len(starts) == 1:
        return f"{starts[0]} + {coordinates[0]}"
    parts = [f"({start} + {one}) * {pitch}" for start, one, pitch in zip(starts, coordinates, pitches, strict=False)]
    return " + ".join([*parts, f"{starts[-1]} + {coordinates[-1]}"])


def _condition(
    tile: Tile, words: tuple[tuple[str, str], ...], counts: list[str], coordinates: list[str], index: str
) -> str:
    """When an element is fetched: it is asked for, and lies in the array."""
    parts = [
        f"{one} < {many}"
        for one, (_, many), count in zip(coordinates, words, counts, strict=False)
        if not count.isdigit()
    ]
    if tile.clipped and index:
        parts += [f"{index} >= begin", f"{index} < end"]
    return " && ".join(parts)


def _fetch_comment(tile: Tile, array: str, shared: bool) -> str:
    if not tile.is_read:
        return f"Nothing of {array} is changed yet."
    if shared:
        return f"All threads of the block copy the part of {array} they need, neighbouring elements side by side."
    return f"Each thread copies its own part of {array}."


def _write_comment(tile: Tile) -> str:
    if tile.policy == "through":
        return "in the tile if it lies there, and at once in memory"
    return "in the tile if it lies there, to be written back, else in memory"


def _is_flat(tile: Tile) -> bool:
    lengths = inner_lengths(tile.array_type)
    return any(constant(length) is None for length in lengths)


def _zeros(tile: Tile) -> str:
    return "[0]" * (len(inner_lengths(tile.array_type)) + 1)
