"""What is known of a mapped kernel before its cache directives are decided: definitions, and who agrees on what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile

from msgspec import Struct

from accache.analysis.loop_context import LoopContext
from accache.analysis.points_to import Origins, pointer_origins
from accache.analysis.uniformity import barrier_obstacle, parting, varying_names
from accache.analysis.value_ranges import initial_values
from accache.base.properties import cached_property
from accache.caching.sizing.padding import along_x
from accache.ir.kernels.simt import ParallelFor
from accache.ir.openacc.regions import Subarray
from accache.ir.tree import Block, Cache, Declare, Expr, Stmt
from accache.ir.types import is_array
from accache.ir.walk import assigned_variables, children, declared_variables, nodes_of, single_definitions
from accache.mapping.mapped import MappedKernel


def _is_for_gangs(stmt: Stmt) -> bool:
    """Whether a statement is no loop over threads."""
    return not (isinstance(stmt, ParallelFor) and stmt.block)


def gang_level(stmt: Stmt) -> Iterator[Stmt]:
    """A statement and those inside, without loops over threads and what they hold."""
    if _is_for_gangs(stmt):
        yield stmt
        for child in children(stmt):
            if isinstance(child, Stmt):
                yield from gang_level(child)


def _named_again(stmt: Stmt, around: tuple[Subarray, ...]) -> Iterator[Subarray]:
    """Of the subarrays in a statement, and those in force ``around`` it, those that share their array with another."""
    if isinstance(stmt, Cache):
        for subarray in stmt.subarrays:
            alike = [other for other in around if other.variable == subarray.variable]
            yield from (subarray, *alike) if alike else ()
            around = (*around, subarray)
    for child in children(stmt):
        if isinstance(child, Stmt):
            yield from _named_again(child, around)


class Survey(Struct, frozen=True, dict=True):
    """Facts about one kernel; a ``path`` holds statements nested in each other, outermost first.

    ``fast_math`` says that nvcc may approximate what it computes.
    """

    kernel: MappedKernel
    fast_math: bool = False

    @cached_property
    def definitions(self) -> Mapping[str, Expr]:
        """The temporaries that stand for one expression."""
        return single_definitions(self.kernel.body)

    @cached_property
    def initial_values(self) -> Mapping[str, Expr]:
        """The integers that keep the values they are declared with."""
        return initial_values(self.kernel.body)

    @cached_property
    def pointers(self) -> Mapping[str, Origins]:
        """Where the pointers lead that the kernel declares or moves."""
        return pointer_origins(self.kernel.body)

    @cached_property
    def varying(self) -> frozenset[str]:
        """The names whose values may differ between the threads of a block."""
        return varying_names(self.kernel.body)

    @cached_property
    def assigned(self) -> frozenset[str]:
        """The names that the kernel assigns."""
        return assigned_variables(self.kernel.body)

    @cached_property
    def declared(self) -> frozenset[str]:
        """The names that the kernel declares."""
        return declared_variables(self.kernel.body)

    @cached_property
    def named_again(self) -> frozenset[Subarray]:
        """The subarrays of directives where another subarray in force names the same array."""
        return frozenset(_named_again(self.kernel.body, ()))

    def stable(self, path: tuple[Stmt, ...]) -> frozenset[str]:
        """Names that every thread of the block knows and agrees on, and that nothing at the path's end changes.

        Scalars of the gang are among them: all threads of the block compute them, those without an iteration too.
        """
        free = {variable.name for variable in self.kernel.region.variables}
        blocks = (stmt for stmt in takewhile(_is_for_gangs, path) if isinstance(stmt, Block))
        own = {item.name for block in blocks for item in block.items if isinstance(item, Declare)}
        loops = {name for stmt in path for name, _ in LoopContext().inside(stmt, self.definitions).ranges}
        return frozenset(((free | own) - self.assigned) | loops) - self.varying - self.kernel.shared

    def gang_arrays(self, path: tuple[Stmt, ...] | None = None) -> frozenset[str]:
        """The arrays each block has one copy of, of those seen at the end of a path (None: all of the kernel's).

        A kernel without loops over threads has none, but routines run in blocks of other kernels' threads.
        """
        return self._all_gang_arrays if path is None else self._gang_arrays(path)

    @cached_property
    def _all_gang_arrays(self) -> frozenset[str]:
        return self._gang_arrays(None)

    def _gang_arrays(self, path: tuple[Stmt, ...] | None) -> frozenset[str]:
        loops = (node for node in nodes_of(self.kernel.body, ParallelFor) if node.block)
        if not self.kernel.is_routine and not any(loops):
            return frozenset()
        stmts = gang_level(self.kernel.body) if path is None else takewhile(_is_for_gangs, path)
        items = [*self.kernel.prologue, *(item for stmt in stmts if isinstance(stmt, Block) for item in stmt.items)]
        found = {item.name for item in items if isinstance(item, Declare) and is_array(item.type)}
        return frozenset(found) - self.kernel.own

    def worker_arrays(self, path: tuple[Stmt, ...]) -> frozenset[str]:
        """The arrays that the threads of a worker share, of those seen at the end of a path."""
        axes = frozenset(axis for axis, extent in zip("xyz", self.kernel.shape.block, strict=True) if extent > 1)
        spread: frozenset[str] = frozenset()
        found: set[str] = set()
        for stmt in path:
            if isinstance(stmt, ParallelFor) and stmt.block:
                spread |= {stmt.block}
            elif isinstance(stmt, Block) and spread and not spread >= axes:
                found |= {item.name for item in stmt.items if isinstance(item, Declare) and is_array(item.type)}
        return frozenset(found) - self.kernel.own

    @cached_property
    def has_second_kernel(self) -> bool:
        """Whether arrays may overlap, so that the launch has an uncached kernel to choose as well."""
        return bool(self.kernel.doubtful_pairs)

    @cached_property
    def along_x(self) -> Mapping[str, int]:
        """The variables of the loops spread along x, and how far they are from one thread to the next."""
        return along_x(self.kernel.body)

    def is_device_pointer(self, array: str) -> bool:
        """Whether a clause says that the pointer holds a device address."""
        region = self.kernel.region
        return any(
            clause.action == "deviceptr" and clause.subarray.variable == array
            for clause in (*region.enclosing_data, *region.data)
        )


class Site(Struct, frozen=True, dict=True):
    """A place in a surveyed kernel: the ``path`` of statements around it."""

    survey: Survey
    path: tuple[Stmt, ...]

    @cached_property
    def context(self) -> LoopContext:
        """The ranges of the loops around."""
        context = LoopContext()
        for stmt in self.path:
            context = context.inside(stmt, self.survey.definitions)
        return context

    @cached_property
    def stable(self) -> frozenset[str]:
        """Names that every thread of the block knows and agrees on, and that nothing here changes."""
        return self.survey.stable(self.path)

    @cached_property
    def lasting(self) -> frozenset[str]:
        """Names that keep one value in each thread as long as it is here, loops over threads among them."""
        free = {variable.name for variable in self.survey.kernel.region.variables} - self.survey.assigned
        return frozenset(free | {name for name, _ in self.context.ranges})

    @cached_property
    def meeting_obstacle(self) -> str:
        """Why not all threads of the block may meet here, as they do to fetch a tile; '' if they may.

        If they do, a worker no longer takes ways of its own in the loop around.
        """
        kernel, varying = self.survey.kernel.body, self.survey.varying
        workers = [stmt for stmt in self.path if isinstance(stmt, ParallelFor) and stmt.block == "y"]
        obstacles = (parting(loop, kernel, varying) for loop in workers)
        return barrier_obstacle(self.path, kernel, varying) or next(filter(None, obstacles), "")

    @property
    def changing(self) -> frozenset[str]:
        """The variables that the kernel assigns, but for those of the loops around."""
        return self.survey.assigned - {name for name, _ in self.context.ranges}

    @property
    def axes(self) -> frozenset[str]:
        """The block's axes that loops around are spread over."""
        return frozenset(loop.block for loop in self.path if isinstance(loop, ParallelFor) and loop.threads > 1)

    @property
    def is_thread_level(self) -> bool:
        """Whether each thread runs this place for itself: all of the block's axes are spread by loops around it."""
        return all(
            extent == 1 or axis in self.axes for axis, extent in zip("xyz", self.survey.kernel.shape.block, strict=True)
        )
