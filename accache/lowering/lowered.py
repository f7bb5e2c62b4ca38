"""A lowered kernel: what the printer gets."""

from __future__ import annotations

from msgspec import Struct

from accache.analysis.uniformity import written_arrays
from accache.caching.cached import CachedKernel
from accache.caching.shared_parts import kernel_layout
from accache.ir.kernels.shared_layout import SharedLayout
from accache.ir.kernels.simt import BlockReduce, SharedArray, Slices
from accache.ir.openacc.regions import FreeVariable, Reduction
from accache.ir.tree import Block
from accache.ir.types import element_type
from accache.ir.walk import assigned_variables, declared_variables, nodes_of, used_variables


class LoweredKernel(Struct, frozen=True):
    """A kernel ready to print.

    ``shared`` are the gang-local arrays, ``names`` the printed names of generated values,
    ``partials`` the reductions whose per-block results the launch stub combines, ``generated`` the
    names of variables that the program does not have. ``slices`` is memory that the launch provides,
    ``references`` the scalars that stand behind a pointer. Of arrays, a thread has ``kept`` elements in registers,
    and of ``columns`` those that it reduces in shared memory.
    """

    cached: CachedKernel
    body: Block
    shared: tuple[SharedArray, ...]
    names: dict[str, str]
    partials: tuple[Reduction, ...]
    generated: frozenset[str]
    slices: tuple[Slices, ...] = ()
    references: frozenset[str] = frozenset()
    kept: tuple[tuple[str, int], ...] = ()
    columns: tuple[str, ...] = ()

    @property
    def layout(self) -> SharedLayout:
        """The shared memory that it takes."""
        nodes = nodes_of(self.body, BlockReduce)
        ordered = sorted(self.cached.tiles, key=lambda tile: tile.lines is not None)
        return kernel_layout(self.cached.kernel, ordered, self.shared, nodes)

    @property
    def declared(self) -> frozenset[str]:
        """The variables that the kernel declares."""
        return declared_variables(self.body) | {item.name for item in self.shared}

    @property
    def free(self) -> frozenset[str]:
        """The variables that it uses and does not declare."""
        return used_variables(self.body) - self.declared

    @property
    def memory(self) -> frozenset[str]:
        """The host's scalars and structures that it uses in device memory."""
        return self.free & self.cached.kernel.memory

    @property
    def written(self) -> frozenset[str]:
        """The arrays the kernel writes, and the scalars and structures in device memory."""
        arrays = written_arrays(self.body) | {tile.array for tile in self.cached.tiles if tile.policy}
        return arrays | (assigned_variables(self.body) & self.memory)

    @property
    def arrays(self) -> tuple[FreeVariable, ...]:
        """The arrays and pointers of the host that the kernel uses."""
        used = used_variables(self.body) | {tile.array for tile in self.cached.tiles}
        variables = self.cached.kernel.region.variables
        local = declared_variables(self.body) | {shared.name for shared in self.shared}
        return tuple(item for item in variables if item.name in used - local and element_type(item.type) is not None)

    @property
    def in_memory(self) -> tuple[FreeVariable, ...]:
        """The arrays and pointers, and the scalars and structures that it uses in device memory."""
        memory = self.memory
        return (*self.arrays, *(item for item in self.cached.kernel.region.variables if item.name in memory))
