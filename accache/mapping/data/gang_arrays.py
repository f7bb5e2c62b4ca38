"""Arrays of which each gang has one copy: private ones of a construct, and what its body declares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping

from msgspec import Struct

from accache.analysis.points_to import Origins, pointer_origins
from accache.analysis.uniformity import written_arrays
from accache.ir.openacc.regions import LoopSpec
from accache.ir.tree import Declare, For, Stmt, Variable
from accache.ir.types import Record, is_array, resolve
from accache.ir.walk import assigned_variables, declared_variables, nodes_of


class GangArrays(Struct, frozen=True):
    """The ``names`` of arrays that a kernel or routine declares, and where its ``pointers`` may lead.

    Structures are with them, each with how often the body ``uses`` it: one that a single loop uses is each thread's.
    """

    names: frozenset[str] = frozenset()
    uses: Mapping[str, int] = {}
    pointers: Mapping[str, Origins] = {}

    @classmethod
    def of(cls, body: Stmt, copies: Iterable[Declare]) -> GangArrays:
        """Those of a body, and the ``copies`` that gangs get of arrays of the host."""
        declares = (*copies, *nodes_of(body, Declare))
        names = frozenset(item.name for item in declares if is_array(item.type))
        records = frozenset(item.name for item in declares if isinstance(resolve(item.type), Record))
        return cls(names, _uses(body, records), pointer_origins(body)) if names or records else cls()

    def need_gangs(self, loop: For, spec: LoopSpec) -> bool:
        """Whether a loop of no named level changes one that is declared outside of it.

        A gang goes through the iterations of such a loop one by one: two of them at a time would share the array.
        """
        if spec.levels:
            return False
        found = {*written_arrays(loop), *(name for name in assigned_variables(loop) if name in self.uses)}
        for name in tuple(found):
            found |= self.pointers.get(name, frozenset())
        found -= declared_variables(loop)
        kept = found & self.uses.keys()
        uses = _uses(loop, kept)
        return bool(found & self.names) or any(uses[name] < self.uses[name] for name in kept)


def _uses(stmt: Stmt, names: Container[str]) -> Mapping[str, int]:
    """How often a statement names each of some variables."""
    return Counter(node.name for node in nodes_of(stmt, Variable) if node.name in names)
