"""A CUDA kernel as the front end read its view: what later passes see of it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from accache.base.text import Location
from accache.cuda.items import Item
from accache.cuda.view_text import ViewText
from accache.ir.openacc.regions import FreeVariable
from accache.ir.openacc.routines import Routine
from accache.ir.tree import Stmt


class KernelView(Struct, frozen=True):
    """A kernel as C: its parameters and its body, what it calls, and the names of its arrays in shared memory.

    ``meets_by`` says by what else than barriers in its body threads wait for each other, or hear of each other, '' if
    by nothing. One that ``has_conditionals`` has parts that the preprocessor may leave out. ``elements`` are the types
    that parameters point to, as they are written there, and ``arguments`` what the parameters of a template stand for.
    ``constants`` are the variables in constant memory that the kernel can name, which no kernel changes.

    Positions are variables such as ``threadIdx_x``. ``where`` leads from places of the tree to those of the .cu text.
    """

    name: str
    parameters: tuple[FreeVariable, ...]
    body: Stmt
    routines: tuple[Routine, ...]
    shared: frozenset[str]
    item: Item
    text: ViewText
    meets_by: str
    has_conditionals: bool
    elements: Mapping[str, str]
    arguments: Mapping[str, str]
    constants: frozenset[str]

    def where(self, location: Location, word: str = "") -> int | None:
        """The offset in the .cu text of a place of the tree; None for what does not stand there itself.

        What a macro makes stands where the macro's name does: a ``word`` tells whether it is that.
        """
        if location.file != self.text.source.name or not location.column:
            return None
        offset = self.text.source.offset(location.line, location.column)
        return self.text.raw(offset) if self.text.source.text.startswith(word, offset) else None

    def near(self, location: Location) -> int:
        """The offset in the .cu text at which a place of the tree, or what it stands for there, begins."""
        return self.text.near(self.text.source.offset(location.line, max(1, location.column)))
