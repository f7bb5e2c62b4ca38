"""A kernel whose loops have got their axes of grid and block."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.aliasing import unproved_pairs
from accache.analysis.uniformity import written_arrays
from accache.base.architectures import MAX_THREADS
from accache.base.properties import cached_property
from accache.ir.kernels.alignment import Alignment
from accache.ir.kernels.shared_layout import SharedPart
from accache.ir.kernels.simt import CanonicalLoop, ParallelFor
from accache.ir.openacc.regions import FreeVariable, Reduction, Region
from accache.ir.tree import Expr, Stmt
from accache.ir.types import Arithmetic, element_type, resolve
from accache.ir.walk import assigned_variables, used_variables, walk

FEW_THREADS = 8192
"""So many threads leave much of a GPU without work."""


class LaunchShape(Struct, frozen=True):
    """What the blocks and the grid of a launch depend on.

    ``block`` holds the threads on x, y, z. ``gangs`` are the numbers of blocks the user asked for, x first.
    ``grid_loops`` are the loops spread over blocks, x first, ``grid_threads`` the threads each has in a block. In a
    ``general`` kernel blocks stride over the loops, since several may stand in a row. If ``most_blocks`` is not 0, the
    last of the grid loops strides, so that there are not many more blocks; if the ``quarter_first``, a quarter of them
    are there until each thread has four iterations.
    """

    block: tuple[int, int, int]
    gangs: tuple[Expr, ...] = ()
    grid_loops: tuple[CanonicalLoop, ...] = ()
    grid_threads: tuple[int, ...] = ()
    is_general: bool = False
    most_blocks: int = 0
    quarter_first: bool = False

    @property
    def threads(self) -> int:
        """The threads of a block."""
        return min(prod(self.block), MAX_THREADS)

    @property
    def counted_loops(self) -> tuple[CanonicalLoop, ...]:
        """The grid loops whose iterations the launch counts, since they decide how many blocks there are."""
        return () if self.gangs or self.is_general else self.grid_loops

    @property
    def grid_rank(self) -> int:
        """How many axes of the grid may hold more than one block."""
        return max(1, len(self.gangs or self.grid_loops))


class Coarse(Struct, frozen=True):
    """How many iterations a thread of a kernel has that ``mapping.coarsening`` has made.

    These are ``outputs`` along an axis each; those along x are a block's width apart, or, in a kernel that
    ``is_blocked``, neighbours. The ``edges`` are axes along which conditions of the program tell some iterations from
    the others: threads that have both go through theirs one by one.
    """

    outputs: tuple[tuple[str, int], ...] = ()
    is_blocked: bool = False
    edges: tuple[str, ...] = ()


class Variants(Struct, frozen=True):
    """Other forms of a kernel, which a launch takes where its arguments ask for them.

    One thread runs the ``sequential`` one where iterations are not independent, or where an array that blocks count in
    copies overlaps another one. Where other arrays that the region holds to be apart turn out to overlap, launches take
    the ``overlapping`` one. Those of few blocks take the ``lengthwise``
    one, in which each iteration of the outer loop has a block of its own (``crosswise``).
    """

    sequential: MappedKernel | None = None
    overlapping: MappedKernel | None = None
    lengthwise: MappedKernel | None = None


class Written(Struct, frozen=True, dict=True):
    """A region with cache directives as the user wrote it, and the lines and numbers of its ``kernels``, in order."""

    region: Region
    kernels: tuple[tuple[int, int], ...]


class MappedKernel(Struct, frozen=True, dict=True):
    """One kernel of a region: its ``source``, the same mapped as ``body``, and the ``shape`` of its launch.

    ``shared`` are the gang's scalars that its threads access atomically; ``prologue`` declares and fills the block's
    copies of the host's variables. Of the arrays called ``own`` each thread has a copy wherever they are declared.
    ``is_block_ours`` says that the user gave no size that decides the block, and no copies are there to fill. Of a
    ``is_routine`` the block's are the greatest extents there can be, and ``routine_parts`` what the routines that a
    kernel calls take of a block's shared memory. ``number`` counts the region's kernels of one ``line``. The scalars
    and structures in ``memory`` lie in the device's. Of ``results`` the host gets what one gang has. The grid loops of
    a ``coarse`` kernel are still those of the program. The launch makes sure of the ``alignment``. A kernel of a
    region with cache directives also has that as it was ``written``. One that ``is_rectangle`` stands for a triangle.
    """

    region: Region
    line: int
    source: Stmt
    body: Stmt
    shape: LaunchShape
    shared: frozenset[str] = frozenset()
    prologue: tuple[Stmt, ...] = ()
    own: frozenset[str] = frozenset()
    is_block_ours: bool = True
    is_routine: bool = False
    routine_parts: tuple[SharedPart, ...] = ()
    number: int = 1
    memory: frozenset[str] = frozenset()
    results: tuple[Reduction, ...] = ()
    variants: Variants = Variants()
    coarse: Coarse = Coarse()
    alignment: Alignment = Alignment()
    written: Written | None = None
    is_rectangle: bool = False

    @property
    def name(self) -> str:
        """What the kernel is called in the emitted program."""
        name = f"{self.region.name(self.line)}_kernel"
        return name if self.number == 1 else f"{name}_{self.number}"

    @property
    def fewest_blocks(self) -> int:
        """How many blocks a launch must have for the kernel to do better than the ``lengthwise`` one; 0 without one."""
        return -(-FEW_THREADS // self.shape.threads) if self.variants.lengthwise is not None else 0

    @cached_property
    def launched_numbers(self) -> frozenset[str]:
        """The integers that the kernel gets from its launch and does not change."""
        found = set()
        for item in self.region.variables:
            plain = resolve(item.type)
            if isinstance(plain, Arithmetic) and plain.is_integer and not plain.const:
                found.add(item.name)
        return frozenset(found) - self.memory - self.shared - assigned_variables(self.body)

    @cached_property
    def doubtful_pairs(self) -> tuple[tuple[FreeVariable, FreeVariable], ...]:
        """The pairs of arrays, one of them written, that may overlap, for all that the program says."""
        used = used_variables(self.body)
        variables = (item for item in self.region.variables if item.name in used)
        in_memory = (item for item in variables if item.name in self.memory or element_type(item.type) is not None)
        return unproved_pairs(in_memory, written_arrays(self.body) | (assigned_variables(self.body) & self.memory))

    @property
    def strides(self) -> bool:
        """Whether blocks stride over the iterations of loops, so that any number of blocks will do."""
        return any(isinstance(node, ParallelFor) and node.grid and not node.covered for node in walk(self.body))


def lines_and_numbers(kernels: Iterable[MappedKernel]) -> tuple[tuple[int, int], ...]:
    """What tells the kernels of a region apart."""
    return tuple((kernel.line, kernel.number) for kernel in kernels)


def without_alignment(kernel: MappedKernel) -> MappedKernel:
    """A kernel for whose accesses nothing has to be aligned."""
    return replace(kernel, alignment=Alignment()) if kernel.alignment else kernel


def with_routine_parts(kernel: MappedKernel, parts: tuple[SharedPart, ...]) -> MappedKernel:
    """A kernel, with its other versions that many threads run, that takes so much shared memory for routines."""
    lengthwise, overlapping = (
        with_routine_parts(other, parts) if other is not None else None
        for other in (kernel.variants.lengthwise, kernel.variants.overlapping)
    )
    variants = replace(kernel.variants, lengthwise=lengthwise, overlapping=overlapping)
    return replace(kernel, routine_parts=parts, variants=variants)
