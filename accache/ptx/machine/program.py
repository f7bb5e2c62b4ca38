"""What the machine executes: a kernel and the functions it calls, with every name resolved and every step typed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from accache.base.properties import cached_property
from accache.ptx.rules.operation import Operation
from accache.ptx.rules.types import Type
from accache.ptx.text.syntax import Instruction

# An address of 64 bits tells by its upper part which space it is in; programs on this machine have addresses below.
WINDOW = 48
MODULE, CONST, PARAM, SHARED, LOCAL, CODE = 1, 2, 3, 4, 5, 6
HEAP = (MODULE << WINDOW) + (1 << 40)
WINDOWS = {"const": CONST << WINDOW, "param": PARAM << WINDOW, "shared": SHARED << WINDOW, "local": LOCAL << WINDOW}
FUNCTION_BYTES = 16  # between the addresses of two functions


@dataclass(frozen=True)
class Register:
    """A register by its number in its function."""

    number: int
    type: Type


@dataclass(frozen=True)
class Constant:
    """The same bits in every lane."""

    bits: int


@dataclass(frozen=True)
class Special:
    """A special register, such as ``%tid.x``."""

    name: str


@dataclass(frozen=True)
class FrameAddress:
    """The address in the local space of what lies at an offset of the function's frame."""

    offset: int


@dataclass(frozen=True)
class Flipped:
    """A predicate's contrary."""

    register: Register


Source: TypeAlias = Register | Constant | Special | FrameAddress | Flipped


@dataclass(frozen=True)
class Place:
    """An address of memory: a base and a number of bytes."""

    space: str
    base: Source
    offset: int


@dataclass(frozen=True)
class Guard:
    """Only lanes take part in which a predicate is true, or false."""

    register: Register
    is_negated: bool


@dataclass(frozen=True)
class Compute:
    """Registers become what expressions of the operands give; a register of None is not wanted."""

    operation: Operation
    results: tuple[Register | None, ...]
    operands: tuple[Source, ...]


@dataclass(frozen=True)
class Pack:
    """Parts, the lowest first, become one value."""

    result: Register
    parts: tuple[Source, ...]
    part: Type


@dataclass(frozen=True)
class Unpack:
    """One value becomes parts, the lowest first."""

    results: tuple[Register | None, ...]
    value: Source
    part: Type


@dataclass(frozen=True)
class Load:
    """Values that lie side by side in memory, to registers; nobody uses those behind the first ``used`` ones."""

    place: Place
    type: Type
    results: tuple[Register | None, ...]
    used: int


@dataclass(frozen=True)
class Store:
    """Values to memory, side by side."""

    place: Place
    type: Type
    values: tuple[Source, ...]


@dataclass(frozen=True)
class Atomic:
    """A value in memory changed in one step; ``result`` gets what it was."""

    place: Place
    type: Type
    change: str
    operands: tuple[Source, ...]
    result: Register | None


@dataclass(frozen=True)
class Copy:
    """cp.async: bytes of global memory to shared memory; what the source lacks becomes zero."""

    target: Place
    source: Place
    bytes: int
    available: Source


@dataclass(frozen=True)
class Branch:
    """To another step of the function."""

    target: int


@dataclass(frozen=True)
class Choose:
    """brx.idx: to one of several steps."""

    index: Source
    targets: tuple[int, ...]


@dataclass(frozen=True)
class Call:
    """Call a function: its number, or its address in a register; parameters lie in the frame's argument area.

    ``arguments`` and ``results`` are ranges (offset, bytes) of the caller's argument area, in order.
    """

    target: int | Source
    arguments: tuple[tuple[int, int], ...]
    results: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class External:
    """Call a function that CUDA provides: vprintf, malloc, free, __assertfail."""

    name: str
    arguments: tuple[tuple[int, int], ...]
    results: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Return:
    """Leave the function; a kernel's thread ends."""


@dataclass(frozen=True)
class Exit:
    """The thread ends."""


@dataclass(frozen=True)
class Trap:
    """The launch fails."""


@dataclass(frozen=True)
class Nothing:
    """A step without an effect that programs can see here: fences, prefetches, waits for copies."""


@dataclass(frozen=True)
class Barrier:
    """Threads of a block meet: sync, arrive, or red with a combination of predicates.

    ``threads`` is how many meet, or None for all; ``reduction`` is popc, and, or, or empty.
    """

    waits: bool
    number: Source
    threads: Source | None
    reduction: str = ""
    predicate: Source | None = None
    result: Register | None = None


@dataclass(frozen=True)
class WarpBarrier:
    """Lanes of a warp meet."""

    members: Source


ShuffleMode: TypeAlias = Literal["up", "down", "bfly", "idx"]


@dataclass(frozen=True)
class Shuffle:
    """Every lane reads a value of another."""

    mode: ShuffleMode
    result: Register | None
    valid: Register | None
    value: Source
    lane: Source
    clamp: Source
    members: Source | None


VoteMode: TypeAlias = Literal["all", "any", "uni", "ballot"]


@dataclass(frozen=True)
class Vote:
    """all, any, uni of a predicate, or its ballot."""

    mode: VoteMode
    result: Register
    predicate: Source
    members: Source | None


MatchMode: TypeAlias = Literal["any", "all"]


@dataclass(frozen=True)
class Match:
    """Which lanes have the same value; ``all`` tells whether all do."""

    mode: MatchMode
    type: Type
    result: Register
    agrees: Register | None
    value: Source
    members: Source


@dataclass(frozen=True)
class Reduce:
    """redux: one value of all lanes."""

    change: str
    type: Type
    result: Register
    value: Source
    members: Source


@dataclass(frozen=True)
class ActiveMask:
    """Which lanes are here."""

    result: Register


Action: TypeAlias = (
    Compute
    | Pack
    | Unpack
    | Load
    | Store
    | Atomic
    | Copy
    | Branch
    | Choose
    | Call
    | External
    | Return
    | Exit
    | Trap
    | Nothing
    | Barrier
    | WarpBarrier
    | Shuffle
    | Vote
    | Match
    | Reduce
    | ActiveMask
)
# After these a lane may be elsewhere than its neighbours, or must wait: a new block starts behind them.
ENDS = (Branch, Choose, Call, External, Return, Exit, Trap, Barrier, WarpBarrier)
# Lanes of a mask come here together, so a block starts with them.
MEETINGS = (WarpBarrier, Shuffle, Vote, Match, Reduce)


@dataclass(frozen=True)
class Step:
    """An instruction: what it does, and for which lanes; its index in its function is its pc."""

    action: Action
    guard: Guard | None
    instruction: Instruction


@dataclass(frozen=True)
class Routine:
    """A kernel or function.

    ``registers`` are the types of its registers, the last of which is the carry. ``frame_bytes`` is what it needs
    of a thread's local memory, ``argument_bytes`` the size of its argument area; ``parameters`` and ``results`` are
    ranges of that (offset, bytes). ``first_pc`` is the number of its first step among all steps of the program.
    """

    name: str
    steps: tuple[Step, ...]
    registers: tuple[Type, ...]
    frame_bytes: int
    argument_bytes: int
    parameters: tuple[tuple[int, int], ...]
    results: tuple[tuple[int, int], ...]
    first_pc: int

    @property
    def carry(self) -> Register:
        """The carry of add.cc and its kind."""
        return Register(len(self.registers) - 1, self.registers[-1])


@dataclass(frozen=True)
class Memory:
    """A variable of a module in memory: its name, its address, and the bytes it starts with."""

    name: str
    address: int
    data: bytes


@dataclass(frozen=True, eq=False)
class Program:
    """A kernel (the first routine), all functions it can reach, and the module's variables; equal to itself only.

    ``shared_bytes`` is the static shared memory. ``entries`` are addresses of functions and their numbers.
    """

    routines: tuple[Routine, ...]
    variables: tuple[Memory, ...]
    shared_bytes: int
    entries: tuple[tuple[int, int], ...]

    @property
    def kernel(self) -> Routine:
        """The routine that is launched."""
        return self.routines[0]

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """All steps; their indices are pcs of the program."""
        return tuple(step for routine in self.routines for step in routine.steps)
