"""A .cu text with copies of its kernels that preload: edits of the user's text at exact places, nothing else changes.

Each kernel that gets copies in shared memory stays as it is. Behind it stands a second version, which is its text with
edits: tiles, fetches and barriers come, references to arrays become references to tiles; and a function that launches
one of the two. Launches in the text call that function.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from math import prod

from msgspec import Struct

from accache.base.text import Edit, SourceFile, Span, splice
from accache.cpu.definitions import angles_end, parameter_name
from accache.cpu.launches import launch_places
from accache.cpu.tokens import Token, closing
from accache.cuda.items import Item, directives
from accache.cuda.statements import Statement, statement
from accache.cuda.text import Cuda
from accache.cuda.words import POSITIONS
from accache.density.footprints import Place
from accache.emit.templates import macros, render
from accache.ir.names import free_name, user_name
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Declare
from accache.ir.walk import walk
from accache.preload.plan import CHUNK, Plan, Tile
from accache.preload.references import is_harmless

_WORDS = "cuda/preload/words.cu.jinja"
_WORD = re.compile(r"[A-Za-z_]\w*")
_AXES = ("plane", "row", "column")


def with_preloads(cuda: Cuda, plans: Sequence[Plan]) -> str:
    """The text with second versions of the kernels whose plans have tiles."""
    edits: list[Edit] = []
    taken = {token.text for token in cuda.tokens} | _macro_names(cuda)
    for plan in plans:
        if plan.tiles:
            edits += _Version(cuda, plan, taken).edits()
    if edits:
        place = min(_outermost(cuda, plan.view.item) for plan in plans if plan.tiles)
        edits.insert(0, Edit(Span(place, place), render("cuda/preload/runtime.cu.jinja")))
    return splice(cuda.source, tuple(edits))


def _outermost(cuda: Cuda, item: Item) -> int:
    """Where what stands at file scope around a kernel begins."""
    depth, first = 0, item.first
    for index in range(item.first - 1, -1, -1):
        text = cuda.tokens[index].text
        depth += (text == "}") - (text == "{")
        if depth < 0:
            first = index
            while first and cuda.tokens[first].text not in ("namespace", "extern"):
                first -= 1
            depth = 0
    return cuda.tokens[first].start


class _TileText(Struct, frozen=True):
    """A tile with the names that it has in the text; ``pitch_names`` are the parameters of its fetch."""

    tile: Tile
    name: str
    fetch: str
    element: str

    @property
    def shape(self) -> str:
        """The lengths of its dimensions, in brackets."""
        lengths = self.tile.box.lengths
        return "".join(f"[{length}]" for length in (*lengths[:-1], lengths[-1] + self.tile.box.pads))


class _Version(Struct, dict=True):
    """Makes the second version of one kernel; ``taken`` are the names of the file."""

    cuda: Cuda
    plan: Plan
    taken: set[str]

    def __post_init__(self) -> None:
        self.item = self.plan.view.item
        self.name = self.item.name
        self.copy = self.free(f"{self.name}_preloaded")
        self.launch = self.free(f"{self.name}_preload")
        words = {token.text for token in self.cuda.tokens[self.item.first : self.item.end]}
        self.local = _Free(words | _macro_names(self.cuda) | {self.copy, self.launch})
        self.tiles = [self.named(tile) for tile in self.plan.tiles]
        self.arrays = tuple(dict.fromkeys(tile.array for tile in self.plan.tiles))
        self.there = {array: self.local(f"{array}_there") for array in self.arrays}

    def free(self, wanted: str) -> str:
        """A name that the file does not have, from now on taken."""
        name = free_name(wanted, self.taken.__contains__)
        self.taken.add(name)
        return name

    def named(self, tile: Tile) -> _TileText:
        """A tile with names."""
        element = self.plan.view.elements[tile.array]
        return _TileText(tile, self.local(f"{tile.array}_tile"), self.free(f"{self.name}_{tile.array}_fetch"), element)

    def edits(self) -> list[Edit]:
        """The second version and its launcher behind the kernel, and the launches that call it."""
        place = self.cuda.tokens[self.item.end - 1].end
        made = [Edit(Span(place, place), self.text())]
        for first, mark, end in launch_places(self.cuda.tokens):
            tokens = self.cuda.tokens
            if tokens[first].start < place or tokens[first].text != self.name:
                continue
            if mark - first != 1 and not self.item.is_template:
                continue
            if any(item.first <= first < item.end for item in self.cuda.items if item.kind in ("kernel", "device")):
                continue
            made += self.called(first, mark, end)
        return made

    def called(self, first: int, mark: int, end: int) -> list[Edit]:
        """``k<<<g, b>>>(a)`` becomes ``k_preload(g, b, 0, 0, a)``."""
        tokens = self.cuda.tokens
        count = 1 + sum(1 for _ in _commas(tokens, mark + 1, end))
        missing = ", 0" * (4 - count)
        has_arguments = tokens[end + 2].text != ")"
        return [
            Edit(Span(tokens[first].start, tokens[first].end), self.launch),
            Edit(Span(tokens[mark].start, tokens[mark].end), "("),
            Edit(Span(tokens[end].start, tokens[end + 1].end), missing + (", " if has_arguments else "")),
        ]

    def text(self) -> str:
        """What stands behind the kernel."""
        tokens = self.cuda.tokens
        parameters = [self.cuda.spelled(first, end) for first, end in self.item.parameters]
        names = [parameter_name(tokens[first:end]) for first, end in self.item.parameters]
        written = tuple(name for name in self.plan.written if name in names)
        block = self.plan.block
        own = _Free({*names, *_macro_names(self.cuda)})
        words = ("grid", "block", "shared", "stream", "holds")
        return render(
            "cuda/preload/kernel.cu.jinja",
            tiles=[self.fetch_view(tile) for tile in self.tiles],
            name=self.name,
            template=self.template,
            instance=self.instance,
            copy=self.copy,
            launch=self.launch,
            shape=" x ".join(map(str, block)),
            arrays=_listed(self.arrays),
            kernel=self.kernel(),
            parameters=parameters,
            word={word: own(word) for word in words},
            memories=[(name, own(f"{name}_memory")) for name in dict.fromkeys((*self.arrays, *written))],
            elements=[(name, own(f"{name}_memory", known=True), there) for name, there in self.there.items()],
            pairs=[
                (own(f"{array}_memory", known=True), own(f"{other}_memory", known=True))
                for array in self.arrays
                for other in written
            ],
            block=block,
            threads=prod(block),
            thread=self.thread(),
            arguments=", ".join(names),
        )

    @property
    def template(self) -> str:
        """The head of a template, in front of each function; '' if the kernel is none."""
        start = self.start
        return self.cuda.spelled(self.item.first, start) + " " if start > self.item.first else ""

    @property
    def instance(self) -> str:
        """The arguments with which one of its functions calls another."""
        names = ", ".join(self.item.template)
        return f"<{names}>" if self.item.is_template else ""

    @property
    def start(self) -> int:
        """The first token behind the heads of templates."""
        start = self.item.first
        while self.cuda.tokens[start].text == "template":
            start = angles_end(self.cuda.tokens, start + 1) + 1
        return start

    def thread(self) -> str:
        """The number of a thread in its block."""
        x, y, z = self.plan.block
        parts = [f"threadIdx.z*{x * y}"] if z > 1 else []
        parts += [f"threadIdx.y*{x}"] if y > 1 else []
        return " + ".join([*parts, "threadIdx.x"])

    def fetch_view(self, tile: _TileText) -> dict[str, object]:
        """What the template of a fetch is told."""
        box, rank = tile.tile.box, len(tile.tile.box.lengths)
        axes = _AXES[-rank:]
        indices = []
        for number, length in enumerate(box.lengths):
            inner = prod(box.lengths[number + 1 :])
            index = f"at / {inner}" if inner > 1 else "at"
            indices.append(index if number == 0 else f"{index} % {length}")
        pitches = [
            {"name": f"{axis}_pitch", "value": pitch}
            for axis, pitch in zip(axes, box.pitches, strict=True)
            if pitch.constant_value != 1
        ]
        parts = ["start"]
        for index, axis, pitch in zip(indices, axes, box.pitches, strict=True):
            factor = f"*{axis}_pitch" if pitch.constant_value != 1 else ""
            parts.append(f"{index}{factor}")
        when = "the kernel begins" if tile.tile.loop is None else "each chunk of a loop"
        return {
            "comment": f"Copies what a block uses of {tile.tile.array} before {when}, as far as it is there.",
            "fetch": tile.fetch,
            "element": tile.element,
            "shape": tile.shape,
            "elements": box.elements,
            "pitches": pitches,
            "source": " + ".join(parts),
            "target": "".join(f"[{index}]" for index in indices),
        }

    def kernel(self) -> str:
        """The kernel's text with its edits."""
        tokens, item = self.cuda.tokens, self.item
        opening = next(
            k for k in range(item.first, item.body) if tokens[k].text == "(" and tokens[k - 1].text == self.name
        )
        close = closing(tokens, opening)
        there = "".join(f", accache_elements {name}" for name in self.there.values())
        start = self.start
        head = [Edit(Span(tokens[opening - 1].start, tokens[opening - 1].end), self.copy)]
        if tokens[start].text == "extern":
            start += 2
        if all(tokens[k].text != "static" for k in range(start, opening)):
            head.insert(0, Edit(Span(tokens[start].start, tokens[start].start), "static "))
        head.append(Edit(Span(tokens[close].start, tokens[close].start), there))
        edits = [*head, *self.references(), *self.entry(), *self.loops()]
        text, first, last = self.cuda.source.text, tokens[start].start, tokens[item.end - 1].end
        moved = sorted(
            (Edit(Span(edit.span.start - first, edit.span.end - first), edit.text) for edit in edits),
            key=lambda edit: (edit.span.start, edit.span.end > edit.span.start),
        )
        return splice(SourceFile("", text[first:last]), tuple(moved))

    def references(self) -> Iterator[Edit]:
        """References to arrays become references to tiles."""
        by_start = {token.start: index for index, token in enumerate(self.cuda.tokens)}
        for tile in self.tiles:
            for reference, places in zip(tile.tile.box.references, tile.tile.box.places, strict=True):
                index = by_start[reference.offset]
                close = closing(self.cuda.tokens, index + 1)
                indices = "".join(f"[{self.place(place, tile.tile)}]" for place in places)
                yield Edit(Span(self.cuda.tokens[index].start, self.cuda.tokens[close].end), f"{tile.name}{indices}")

    def place(self, place: Place, tile: Tile) -> str:
        """Where an element lies along one dimension of a tile: what counts in 64 bits first, the constant last."""
        text = ""
        for name, rate in sorted(place.terms, key=lambda term: term[0] != CHUNK):
            spelled = self.symbol(name, tile) if name != CHUNK else f"({self.symbol(name, tile)})"
            alone = name == CHUNK and place.terms == ((CHUNK, 1),) and not place.constant
            term = self.symbol(name, tile) if alone else spelled
            sign = " - " if rate < 0 else " + "
            factor = f"{abs(rate)}*" if abs(rate) != 1 else ""
            text += (sign if text else sign.strip(" +")) + factor + term
        if place.constant or not text:
            sign = " - " if place.constant < 0 else " + "
            text += (sign if text else sign.strip(" +")) + str(abs(place.constant))
        return text

    def symbol(self, name: str, tile: Tile) -> str:
        """The text of a symbol."""
        if name == CHUNK:
            assert tile.loop is not None
            variable = user_name(tile.loop.counted.variable)
            return f"{variable} - {self.chunk_name(tile)}"
        return _position(name) or f"(int){user_name(name)}"

    def chunk_name(self, tile: Tile) -> str:
        """The variable that counts a loop's chunks."""
        assert tile.loop is not None
        names: dict[int, str] = self.__dict__.setdefault("chunk_names", {})
        if tile.loop.offset not in names:
            names[tile.loop.offset] = self.local(f"{user_name(tile.loop.counted.variable)}_chunk")
        return names[tile.loop.offset]

    def fetched(self, tiles: Sequence[_TileText]) -> list[str]:
        """The calls that make the copies of tiles."""
        lines = []
        for tile in tiles:
            array, box = tile.tile.array, tile.tile.box
            start = box.start
            if tile.tile.loop is not None:
                start = start.substitute(
                    {tile.tile.loop.counted.variable: Polynomial.symbol(f"@{self.chunk_name(tile.tile)}")}
                )
            pitches = "".join(f", {_unsigned(pitch)}" for pitch in box.pitches if pitch.constant_value != 1)
            lines.append(
                f"{tile.fetch}{self.instance}({tile.name}, {array}, {self.there[array]}, {_unsigned(start)}{pitches});"
            )
        return lines

    def declared(self, tiles: Sequence[_TileText]) -> list[str]:
        """The declarations of tiles."""
        return [str(macros(_WORDS).shared(tile.element, tile.name, tile.shape)) for tile in tiles]

    def barrier(self) -> str:
        """A barrier."""
        return str(macros(_WORDS).barrier())

    def entry(self) -> list[Edit]:
        """Copies before the first statement."""
        tiles = [tile for tile in self.tiles if tile.tile.loop is None]
        if not tiles:
            return []
        place = self.cuda.tokens[self.item.body].end
        lines = [*self.declared(tiles), *self.fetched(tiles), self.barrier()]
        return [Edit(Span(place, place), "".join(f"\n    {line}" for line in lines))]

    def loops(self) -> list[Edit]:
        """Loops in chunks, with a copy before each."""
        targets = {tile.tile.loop.offset for tile in self.tiles if tile.tile.loop is not None}
        if not targets:
            return []
        body = statement(self.cuda.tokens, self.item.body)
        return _Restructure(self, frozenset(targets)).block(body, "")


class _Free(Struct, dict=True):
    """Gives names that are free among some others, the same one each time if it is ``known``."""

    taken: set[str]

    def __post_init__(self) -> None:
        self.given: dict[str, str] = {}

    def __call__(self, wanted: str, *, known: bool = False) -> str:
        """A free name for one that is wanted."""
        if not (known and wanted in self.given):
            self.given[wanted] = free_name(wanted, self.taken.__contains__)
            self.taken.add(self.given[wanted])
        return self.given[wanted]


def _macro_names(cuda: Cuda) -> set[str]:
    """The words of the preprocessor's lines."""
    text = cuda.source.text
    return {word for span in directives(text) for word in _WORD.findall(text[span.start : span.end])}


class _Restructure(Struct, dict=True):
    """Lets all threads of a block reach the chunks of loops: what the program does stands under conditions."""

    version: _Version
    targets: frozenset[int]

    def __post_init__(self) -> None:
        self.tokens: tuple[Token, ...] = self.version.cuda.tokens
        self.declares = [node for node in walk(self.version.plan.view.body) if isinstance(node, Declare)]
        self.places = [(self.version.plan.view.where(node.location), node) for node in self.declares]

    def holds(self, stmt: Statement) -> bool:
        """Whether a statement has a loop in it that is cut into chunks."""
        start, end = self.tokens[stmt.first].start, self.tokens[stmt.end - 1].end
        return any(start <= offset < end for offset in self.targets)

    def insert(self, index: int, text: str, behind: bool = False) -> Edit:
        """Text in front of a token, or behind it."""
        place = self.tokens[index].end if behind else self.tokens[index].start
        return Edit(Span(place, place), text)

    def block(self, stmt: Statement, active: str) -> list[Edit]:
        """The edits of a block's statements, which the threads do for which ``active`` holds; '' is all."""
        edits: list[Edit] = []
        for item in stmt.parts:
            made, active = self.item(item, active)
            edits += made
        return edits

    def item(self, stmt: Statement, active: str) -> tuple[list[Edit], str]:
        """The edits of a statement, and what holds for the threads that are active behind it."""
        if self.holds(stmt):
            return self.around(stmt, active), active
        if stmt.kind == "if" and len(stmt.parts) == 1 and _is_return(stmt.parts[0]):
            return self.guard(stmt, active)
        declared = self.declared(stmt)
        if declared:
            return self.declaration(stmt, declared, active), active
        if not active or (stmt.kind == "plain" and stmt.end - stmt.first == 1):
            return [], active
        return [self.insert(stmt.first, f"if ({active}) ")], active

    def guard(self, stmt: Statement, active: str) -> tuple[list[Edit], str]:
        """``if (i >= n) return;`` becomes ``const bool active = !(i >= n);``."""
        name = self.version.local("active")
        first, end = stmt.head
        before = f"const bool {name} = {active} && !(" if active else f"const bool {name} = !("
        start, opening = self.tokens[stmt.first], self.tokens[first - 1]
        return [
            Edit(Span(start.start, opening.end), before),
            Edit(Span(self.tokens[end].start, self.tokens[stmt.end - 1].end), ");"),
        ], name

    def declared(self, stmt: Statement) -> list[Declare]:
        """What a statement declares itself."""
        if stmt.kind != "plain":
            return []
        start, end = self.tokens[stmt.first].start, self.tokens[stmt.end - 1].end
        return [node for place, node in self.places if place is not None and start <= place < end]

    def declaration(self, stmt: Statement, declared: list[Declare], active: str) -> list[Edit]:
        """A declaration stays for all threads; values that use memory, or may fail, only active threads compute."""
        careful = {user_name(node.name) for node in declared if node.init is not None and not is_harmless(node.init)}
        edits: list[Edit] = []
        commas = [stmt.first - 1, *_commas(self.tokens, stmt.first, stmt.end - 1), stmt.end - 1]
        for before, end in itertools.pairwise(commas):
            first = before + 1
            equals = next((k for k in range(first, end) if self.tokens[k].text == "="), end)
            name = self.tokens[equals - 1].text
            if active and equals < end and name in careful:
                edits.append(self.insert(equals, f" {active} ? (", behind=True))
                edits.append(self.insert(end - 1, f") : decltype({name})()", behind=True))
        return edits

    def around(self, stmt: Statement, active: str) -> list[Edit]:
        """The edits of a block, condition or loop around a loop in chunks, or of that loop itself."""
        if stmt.kind == "block":
            return self.block(stmt, active)
        if stmt.kind == "if":
            return self.condition(stmt, active)
        if self.tokens[stmt.first].start in self.targets:
            return self.chunks(stmt, active)
        return self.braced(stmt.parts[0], active, "")

    def braced(self, stmt: Statement, active: str, start: str) -> list[Edit]:
        """A statement in braces, with text in front."""
        edits = self.item(stmt, active)[0] if stmt.kind != "block" else self.block(stmt, active)
        if stmt.kind == "block":
            return [self.insert(stmt.first, start), *edits] if start else edits
        return [self.insert(stmt.first, f"{start}{{ "), *edits, self.insert(stmt.end - 1, " }", behind=True)]

    def condition(self, stmt: Statement, active: str) -> list[Edit]:
        """``if (c) A else B`` becomes ``{ const bool inside = c; A under inside; B under !inside }``."""
        inside = self.version.local("active")
        first, end = stmt.head
        start, opening, close = self.tokens[stmt.first], self.tokens[first - 1], self.tokens[end]
        before = f"{{ const bool {inside} = {active} && (" if active else f"{{ const bool {inside} = ("
        edits = [Edit(Span(start.start, opening.end), before), Edit(Span(close.start, close.end), ");")]
        edits += self.braced(stmt.parts[0], inside, " ")
        if len(stmt.parts) > 1:
            other = self.version.local("active")
            word = self.tokens[stmt.parts[0].end]
            holds = f"{active} && !{inside}" if active else f"!{inside}"
            edits.append(Edit(Span(word.start, word.end), f"const bool {other} = {holds};"))
            edits += self.braced(stmt.parts[1], other, " ")
        return [*edits, self.insert(stmt.end - 1, " }", behind=True)]

    def chunks(self, stmt: Statement, active: str) -> list[Edit]:
        """A loop in chunks: copy, wait, iterate, wait."""
        version = self.version
        start = self.tokens[stmt.first].start
        tiles = [tile for tile in version.tiles if tile.tile.loop is not None and tile.tile.loop.offset == start]
        tile = tiles[0].tile
        assert tile.loop is not None
        counted, name = tile.loop.counted, version.chunk_name(tile)
        variable = user_name(counted.variable)
        first, end = stmt.head
        semicolons = [k for k in range(first, end) if self.tokens[k].text == ";"]
        head = [version.cuda.spelled(first, semicolons[0]), version.cuda.spelled(semicolons[0] + 1, semicolons[1])]
        equals = next(k for k in range(first, semicolons[0]) if self.tokens[k].text == "=")
        value = version.cuda.spelled(equals + 1, semicolons[0])
        indent = _indent(version.cuda.source.text, start)
        chunk = tile.chunk * counted.step
        condition = _with_name(version.cuda, semicolons[0] + 1, semicolons[1], variable, name)
        lines = [f"for (long long {name} = {value}; {condition}; {name} += {chunk}) {{"]
        inner = [*version.declared(tiles), *version.fetched(tiles), version.barrier()]
        lines += [f"    {line}" for line in inner]
        guard = f"if ({active}) " if active else ""
        left = head[0][: head[0].rindex("=")].rstrip()
        loop = f"    {guard}for ({left} = {name}; {variable} < {name} + {chunk} && {head[1]}; "
        before = "".join(f"{line}\n{indent}" for line in lines) + loop
        step = self.tokens[semicolons[1] + 1].start
        return [
            Edit(Span(start, step), before),
            self.insert(stmt.end - 1, f"\n{indent}    {version.barrier()}\n{indent}}}", behind=True),
        ]


def _with_name(cuda: Cuda, first: int, end: int, name: str, other: str) -> str:
    """The text of tokens with one name replaced."""
    start = cuda.tokens[first].start
    edits = tuple(
        Edit(Span(token.start - start, token.end - start), other)
        for token in cuda.tokens[first:end]
        if token.text == name
    )
    return splice(SourceFile("", cuda.spelled(first, end)), edits)


def _is_return(stmt: Statement) -> bool:
    inner = stmt.parts[0] if stmt.kind == "block" and len(stmt.parts) == 1 else stmt
    return inner.kind == "return" and inner.end - inner.first == 2


def _indent(text: str, offset: int) -> str:
    """The blanks at the start of the line of a place."""
    start = text.rfind("\n", 0, offset) + 1
    line = text[start:offset]
    return line[: len(line) - len(line.lstrip())]


def _commas(tokens: tuple[Token, ...], first: int, end: int) -> Iterator[int]:
    index = first
    while index < end:
        if tokens[index].text in ("(", "[", "{"):
            index = closing(tokens, index)
        elif tokens[index].text == ",":
            yield index
        index += 1


def _position(name: str) -> str:
    """The text of a position such as ``threadIdx_x``; '' if a name is none."""
    word, _, axis = name.rpartition("_")
    return f"{word}.{axis}" if word in POSITIONS and axis in ("x", "y", "z") else ""


def _unsigned(value: Polynomial) -> str:
    """A polynomial as C computes it modulo 2**32."""
    text = ""
    for monomial, factor in value.terms:
        names = [_position(name) or f"(unsigned){user_name(name).removeprefix('@')}" for name in monomial]
        sign = " - " if factor < 0 else " + "
        parts = ([f"{abs(factor)}u"] if abs(factor) != 1 or not names else []) + names
        text += (sign if text else sign.strip(" +")) + "*".join(parts)
    return text or "0u"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(names) if len(names) < 3 else ", ".join(names)
