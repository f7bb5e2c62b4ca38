"""What a load may say about its place in L1, and what a store does there."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from accache.base.choices import LoadPolicy

POLICIES: tuple[LoadPolicy, ...] = get_args(LoadPolicy)
"""Cache operators of loads, after the PTX ISA (9.7.9, "Cache Operators" and "Cache Eviction Priority Hints").

``ca``: look up, keep. ``cg``: pass L1 by, whatever it holds. ``no_allocate``: look up, keep nothing, leave the order.
``evict_first`` and ``evict_last``: keep, but evict before, or after, all lines that were last used otherwise.
"""

Writes: TypeAlias = Literal["around", "evict", "through", "allocate"]
WRITES: tuple[Writes, ...] = get_args(Writes)
"""What a store does to L1; it goes to L2 in any case, since L1 writes through.

``around``: nothing (Fermi, as the paper has it). ``evict``: sectors written are dropped. ``through``: a line that is
there is renewed. ``allocate``: that, and a line that is not there gets a place, with the sectors written.
"""
