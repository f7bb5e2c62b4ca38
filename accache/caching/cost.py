"""What a kernel costs a multiprocessor, with its tiles and without: issue slots, sectors of L1, turns of the banks.

An estimate for one warp far from the edges, made before anything is lowered. L1 and shared memory are one array since
Volta: a load that hits L1 costs what one from a tile costs, and the fetch and its barriers come on top. So a tile pays
where it saves sectors (accesses of threads that lie far apart), addresses that have to be computed anew, or turns.
Weights of operations are those that ``python bench/cost --calibrate`` measures; it also prints what kernels cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from math import ceil, prod

from msgspec import Struct, field
from msgspec.structs import astuple, replace

from accache.analysis.affine import ADDRESS_SIZE, index_polynomial
from accache.analysis.canonical import canonical_loop
from accache.analysis.loop_context import subscripts_of
from accache.caching.banks import WARP, BankModel
from accache.caching.sizes import sizeof, tile_elements
from accache.caching.survey import Survey
from accache.counting.trips import trips_of
from accache.ir.arrays import inner_lengths
from accache.ir.constants import constant
from accache.ir.polynomial import Polynomial
from accache.ir.simt import CacheRegion, CanonicalLoop, ParallelFor, Tile, TileAccess
from accache.ir.tree import (
    STEPPING,
    Assign,
    Binary,
    Call,
    Cast,
    Conditional,
    Expr,
    For,
    If,
    Stmt,
    Subscript,
    Unary,
    Variable,
    While,
)
from accache.ir.types import Arithmetic, CType, Pointer, resolve
from accache.ir.walk import children, declared_variables, used_variables, walk

SLOTS_A_CLOCK = 3.2
"""Instructions that the four schedulers of a multiprocessor issue in a clock: 80 % of what they could."""
SECTORS_A_CLOCK = 4
"""Sectors of 32 bytes that L1 gives in a clock."""
L2_BYTES_A_CLOCK = 38.8
"""What L2 takes in a clock from one of the 132 multiprocessors of an H100, if it has the 5120 bytes of an A100."""
SECTOR_BYTES = 32
SIZE = 1024
"""What names in trip counts are taken to be."""
TRIPS = 16
"""How often a loop is taken to run of which nothing is known."""
UNROLLED = 64
"""Loops of at most so many iterations, where their number is a constant, are taken to be unrolled."""
OPERATIONS = {
    ("/", "float"): 13.6, ("/", "double"): 30, ("/", "int"): 20, ("/", "long"): 70, ("%", "int"): 20, ("%", "long"): 70,
    ("*", "long"): 3, ("+", "long"): 2, ("-", "long"): 2,
}  # fmt: skip
"""Issue slots of operations by the kind of their operands; of others one."""
CONSTANT_DIVISION = 4
CALLS = {"sqrt": 13.3, "rsqrt": 3, "fabs": 0.5, "fmin": 1, "fmax": 1, "min": 1, "max": 1, "abs": 1, "exp": 8, "log": 15}
OTHER_CALL = 30
INDEX, BASE, STRIDE, GATHERED = 4, 2.5, 2.5, 3
"""Slots of a thread's own index; of the address of an array's element; of an address that moves by no constant; of one
that an index from memory leads to."""
POINTER = 0.5
"""Slots of moving a pointer in a loop that is not unrolled whole, an access."""
ROUND = {1: 5, 2: 18, 3: 26}
"""Slots of one round of a fetch, by the dimensions of the tile; where others have computed the cell, the first."""
OWN = 0.1
CLIPPED, START, WIDTH, BARRIER = 4, 1, 3, 3


class Cost(Struct, frozen=True):
    """What a warp takes: issue slots, sectors of L1, turns of the banks of shared memory, and bytes written to L2.

    What is read from L2 is taken to be the same with a tile and without it.
    """

    slots: float = 0.0
    sectors: float = 0.0
    turns: float = 0.0
    written: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Cost(*(first + second for first, second in pairs))

    def times(self, factor: float) -> Cost:
        """The cost, so many times."""
        return Cost(*(part * factor for part in astuple(self)))

    def __or__(self, other: Cost) -> Cost:
        """One of two ways: the dearer in each."""
        return Cost(*map(max, astuple(self), astuple(other)))

    @property
    def limits(self) -> dict[str, float]:
        """Clocks of a multiprocessor that has warps enough, by what bounds it."""
        return {
            "issue": self.slots / SLOTS_A_CLOCK,
            "L1": self.sectors / SECTORS_A_CLOCK,
            "shared": self.turns,
            "L2": self.written / L2_BYTES_A_CLOCK,
        }

    @property
    def clocks(self) -> float:
        """The largest of its limits."""
        return max(self.limits.values())

    @property
    def bound(self) -> str:
        """What bounds it."""
        return max(self.limits, key=self.limits.__getitem__)


    def __str__(self) -> str:
        """Clocks to three digits, and what they are spent on.

        >>> str(Cost(slots=32.3))
        '10.1 clocks (issue)'
        """
        clocks = f"{self.clocks:.1f}" if self.clocks < 100 else f"{self.clocks:.0f}"
        return f"{clocks} clocks ({self.bound})"


FREE = Cost()


def kernel_cost(survey: Survey, body: Stmt, tiles: Iterable[Tile]) -> Cost:
    """The cost of a kernel's planned ``body`` with some of its tiles; references of the others go to memory."""
    return _Estimate(survey, body, frozenset(tile.name for tile in tiles)).total


class _Loop(Struct, frozen=True):
    """A sequential loop around: its variable, how often it runs, and whether it is unrolled whole."""

    variable: str
    trips: float
    unrolled: bool


class _Estimate(Struct, dict=True):
    """Walks a body; ``loops`` are the sequential loops around, ``bases`` what the addresses cost that are shared."""

    survey: Survey
    body: Stmt
    tiles: frozenset[str]
    loops: tuple[_Loop, ...] = ()
    bases: dict[object, float] = field(default_factory=dict)

    @cached_property
    def total(self) -> Cost:
        found = self.statement(self.body)
        return found + Cost(slots=sum(self.bases.values()))

    @cached_property
    def banks(self) -> BankModel:
        return BankModel(self.survey.kernel.body, self.survey.kernel.block)  # which still defines what only tiles used

    @property
    def definitions(self) -> Mapping[str, Expr]:
        return self.banks.definitions

    @cached_property
    def known(self) -> frozenset[str]:
        """The names that trip counts may hold: all."""
        return used_variables(self.body) | declared_variables(self.body)

    def statement(self, stmt: Stmt) -> Cost:
        """A statement, as often as it runs in one iteration of the loops around."""
        if isinstance(stmt, ParallelFor):
            return self.parallel(stmt)
        if isinstance(stmt, CacheRegion):
            return self.region(stmt) + self.statement(stmt.body)
        if isinstance(stmt, For):
            return self.loop(stmt)
        if isinstance(stmt, While):
            return (self.statement(stmt.body) + self.expression(stmt.condition) + Cost(slots=2)).times(TRIPS)
        if isinstance(stmt, If):
            otherwise = self.statement(stmt.otherwise) if stmt.otherwise is not None else FREE
            return self.expression(stmt.condition) + Cost(slots=1) + (self.statement(stmt.then) | otherwise)
        found = FREE
        for child in children(stmt):
            found += self.statement(child) if isinstance(child, Stmt) else self.expression(child)
        return found

    def parallel(self, loop: ParallelFor) -> Cost:
        """A loop over blocks and threads: how many iterations a thread has, of those that its block must do."""
        rounds = 1.0
        if not loop.covered and not loop.grid:
            trips = trips_of(loop, self.definitions, self.known, frozenset())
            count = trips.count.evaluate(_Sizes()) if trips is not None else SIZE
            rounds = max(1, ceil(count / loop.threads))
        return (self.statement(loop.body) + Cost(slots=INDEX)).times(rounds)

    def loop(self, stmt: For) -> Cost:
        """A sequential loop."""
        trips = trips_of(stmt, self.definitions, self.known, frozenset())
        count = trips.count.evaluate(_Sizes(loop.variable for loop in self.loops)) if trips is not None else TRIPS
        limits = trips is not None and (trips.count.value is not None or count < SIZE // 2)
        canonical = canonical_loop(stmt)
        variable = canonical.variable if isinstance(canonical, CanonicalLoop) else ""
        variable = trips.variable if trips is not None else variable
        unrolled = limits and count <= UNROLLED
        around = self.loops
        self.loops = (*around, _Loop(variable, max(0, count), unrolled))
        body = self.statement(stmt.body) + Cost(slots=0 if unrolled else 1)
        self.loops = around
        return body.times(max(0, count))

    def region(self, region: CacheRegion) -> Cost:
        """The fetches and write-backs of a region's tiles, and the barriers around them."""
        tiles = [tile for tile in region.tiles if tile.name in self.tiles]
        found, shapes = FREE, set()
        for tile in tiles:
            alike = (tuple(dimension.extent for dimension in tile.dimensions), tile.starts)
            found += self.copies(tile, alike in shapes)
            shapes.add(alike)
        if any(tile.scope == "block" for tile in tiles):
            moving = len(self.loops) > 0
            found += Cost(slots=BARRIER * (1 + moving))
        return found

    def copies(self, tile: Tile, is_alike: bool) -> Cost:
        """What a thread does to fill a tile, and to write it back."""
        if tile.entries:
            return FREE
        threads = self.survey.kernel.threads
        rank = max(1, len(tile.dimensions))
        elements = tile_elements(tile)
        rounds = ceil(elements / threads)
        size = sizeof(tile.element)
        inner = tile.dimensions[-1].extent if tile.dimensions else 1
        rows = elements / inner
        sectors = rows * (inner * size / SECTOR_BYTES + 0.5) / max(1, threads / WARP)
        cell = ROUND[1] if is_alike else ROUND.get(rank, ROUND[3])
        once = Cost(rounds * (cell + CLIPPED * tile.clipped), sectors, rounds * max(1, size / 4))
        back = replace(once, written=sectors * SECTOR_BYTES) if tile.is_collected else FREE
        if tile.owned is not None:
            back = Cost(1, size, 0, WARP * size)
        ways = int(tile.is_prepared and tile.is_fetched)
        moving = {name for dimension in tile.dimensions for name in dimension.lower.names}
        setup = sum(START + WIDTH * bool(dimension.variable) for dimension in tile.dimensions)
        fixed = not moving & {loop.variable for loop in self.loops}
        return once.times(ways) + back + Cost(slots=0 if is_alike else setup if fixed else START * rank)

    def expression(self, expr: Expr, written: bool = False) -> Cost:
        """One evaluation of an expression, by all lanes of a warp."""
        if isinstance(expr, TileAccess):
            if expr.tile.name not in self.tiles:
                return self.expression(expr.original, written)
            through = self.expression(expr.original, written) if written and expr.tile.policy == "through" else FREE
            return self.tile_access(expr) + through
        if isinstance(expr, Subscript):
            found = self.reference(expr)
            return replace(found, written=found.sectors * SECTOR_BYTES) if written else found
        if isinstance(expr, Assign):
            return self.assignment(expr)
        if isinstance(expr, Binary):
            return self.binary(expr)
        if isinstance(expr, Unary):
            inner = self.expression(expr.operand)
            if expr.op == "*":
                return inner + Cost(slots=GATHERED, sectors=WARP / 4)
            return inner + Cost(slots=1.0 if expr.op in STEPPING else 0.3)
        if isinstance(expr, Call):
            name = expr.function.rstrip("f") if expr.function.startswith(("sqrt", "exp", "log")) else expr.function
            return self.all(expr) + Cost(slots=CALLS.get(name, CALLS.get(name.removesuffix("f"), OTHER_CALL)))
        if isinstance(expr, Cast):
            same = _kind(expr.type) == _kind(expr.operand.type)
            return self.expression(expr.operand) + Cost(slots=0.2 if same else 1)
        if isinstance(expr, Conditional):
            return self.all(expr) + Cost(slots=1)
        return self.all(expr)

    def all(self, expr: Expr) -> Cost:
        """All operands."""
        found = FREE
        for child in children(expr):
            if isinstance(child, Expr):
                found += self.expression(child)
        return found

    def assignment(self, expr: Assign) -> Cost:
        """A store, or an operation that ends in a register; an addition of a product is one instruction."""
        target = FREE if isinstance(expr.target, Variable) else self.expression(expr.target, written=True)
        if expr.op != "=" and not isinstance(expr.target, Variable):
            target = target + replace(self.expression(expr.target), slots=1.0)
        operation = Cost()
        if expr.op != "=" and not (expr.op in ("+=", "-=") and _is_product(expr.value)):
            operation = Cost(slots=_weight(expr.op[:-1], expr.type, expr.value))
        return target + self.expression(expr.value) + operation

    def binary(self, expr: Binary) -> Cost:
        """An operation of two operands."""
        operands = self.all(expr)
        if expr.op in ("+", "-") and (_is_product(expr.left) or _is_product(expr.right)):
            return operands
        return operands + Cost(slots=_weight(expr.op, expr.type, expr.right))

    def tile_access(self, access: TileAccess) -> Cost:
        """An access of a tile: its address, and how many turns the banks take."""
        if access.tile.scope == "block" and all(part.length == 1 and part.variable for part in access.tile.dimensions):
            return Cost(slots=OWN)  # a thread's one element stays in a register
        degree, _ = self.banks.tile_degree(access)
        size = sizeof(access.tile.element)
        _, subscripts = subscripts_of(access.original)
        indices = [index_polynomial(subscript, self.definitions) for subscript in subscripts]
        checked = 8.0 if access.tile.method == "rbc" else 20.0 if access.tile.method == "ehc" else 0.0
        if access.tile.pitches and indices[0] is not None:
            rates = [1.0 for loop in self.loops if not loop.unrolled and loop.variable in indices[0].names]
        else:
            known = [index for index in indices if index is not None]
            rates = [0.5 for loop in self.loops if not loop.unrolled and any(loop.variable in p.names for p in known)]
            rates += [1.0] * (len(indices) - len(known))
        return Cost(1 + checked + min(1.0, sum(rates)) * 0.25, 0, (degree or 2) * max(1, size / 4))

    def reference(self, expr: Subscript) -> Cost:
        """A load or a store of an element: of memory, or of an array of the block's or the thread's own."""
        base, subscripts = subscripts_of(expr)
        size = max(1, sizeof(expr.type))
        nested = FREE
        indices = [index_polynomial(subscript, self.definitions) for subscript in subscripts]
        for subscript, index in zip(subscripts, indices, strict=True):
            nested += FREE if index is not None else self.expression(subscript)
        if not isinstance(base, Variable):
            return nested + self.expression(base) + Cost(GATHERED, WARP / 4)
        if base.name in self.survey.gang_arrays():
            return nested + Cost(slots=1, turns=max(1, size / 4))
        known = [index for index in indices if index is not None]
        if len(known) != len(indices):
            return nested + Cost(slots=GATHERED + 1, sectors=self.scattered(subscripts))
        place = _flat(known, base.type)
        return nested + Cost(slots=1 + self.address(base.name, place), sectors=self.sectors(place, size))

    def address(self, array: str, place: Polynomial) -> float:
        """Slots of an address an access; what several accesses share is counted once, as often as it changes."""
        moving = [loop for loop in self.loops if loop.variable in place.names]
        rates = {loop.variable: place.coefficient(loop.variable) for loop in moving}
        constant_rates = {name for name, rate in rates.items() if rate is not None and rate.constant_value is not None}
        far = [loop for loop in moving if loop.variable not in constant_rates]
        shared = place - place.constant_term
        for name in constant_rates:
            shared = shared.without(name)
        anew = self.loops[: 1 + max(self.loops.index(loop) for loop in far)] if far else ()
        self.bases.setdefault((array, shared), STRIDE * prod(loop.trips for loop in anew) if far else BASE)
        return sum(POINTER for loop in moving if loop.variable in constant_rates and not loop.unrolled)

    def sectors(self, place: Polynomial, size: int) -> float:
        """Sectors of a warp's access to an element of a flat array, on average over where the array's rows begin."""
        strides = self.strides(place)
        x, y, _ = self.survey.kernel.block
        lanes = [(n % x, n // x % y, n // (x * y)) for n in range(WARP)]
        places = [size * sum(s * t for s, t in zip(strides, lane, strict=True)) for lane in lanes]
        offsets = range(0, SECTOR_BYTES, max(size, 4))
        touched = [len({(byte + offset) // SECTOR_BYTES for byte in places}) for offset in offsets]
        return sum(touched) / len(touched)

    def strides(self, place: Polynomial) -> tuple[int, int, int]:
        """Elements from a thread to the next along each axis; far away where that is no constant."""
        for _ in range(len(self.banks.places) + 1):
            place = place.substitute(self.banks.places)
        found = []
        for axis in "xyz":
            rate = place.coefficient(f"@thread.{axis}")
            fixed = rate.constant_value if rate is not None else None
            found.append(fixed if fixed is not None else SIZE * SIZE)
        return found[0], found[1], found[2]

    def scattered(self, subscripts: Iterable[Expr]) -> float:
        """Sectors where an index comes from memory: one a lane if lanes may differ."""
        names = {node.name for subscript in subscripts for node in walk(subscript) if isinstance(node, Variable)}
        return WARP if names & self.banks.varying else 1


class _Sizes(dict[str, int]):
    """A size for every name: nothing for variables of loops around, which begin there, else SIZE."""

    def __init__(self, loops: Iterable[str] = ()) -> None:
        super().__init__(dict.fromkeys(loops, 0))

    def __missing__(self, name: str) -> int:
        return SIZE


def _kind(ctype: CType) -> str:
    """What kind of arithmetic a type has: float, double, int, or long for 64 bits and addresses."""
    plain = resolve(ctype)
    if isinstance(plain, Arithmetic):
        if plain.name in ("float", "double"):
            return plain.name
        return "long" if plain.size == ADDRESS_SIZE else "int"
    return "long" if isinstance(plain, Pointer) else "int"


def _weight(op: str, ctype: CType, right: Expr) -> float:
    """Issue slots of an operation of two operands."""
    if op in ("&&", "||"):
        return 0.5
    kind = _kind(ctype)
    if op in ("/", "%") and kind in ("int", "long") and constant(right) is not None:
        return CONSTANT_DIVISION
    return OPERATIONS.get((op, kind), 1.0)


def _is_product(expr: Expr) -> bool:
    """Whether an operand is a product of floating-point numbers, which one instruction multiplies and adds."""
    return isinstance(expr, Binary) and expr.op == "*" and _kind(expr.type) in ("float", "double")


def _flat(indices: list[Polynomial], ctype: CType) -> Polynomial:
    """An element's place in memory, counted in elements."""
    lengths = [index_polynomial(length) for length in inner_lengths(ctype)]
    place = indices[0]
    for index, length in zip(indices[1:], lengths, strict=False):
        place = place * (length if length is not None else SIZE) + index
    return place
