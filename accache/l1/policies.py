"""What a load may say about its place in L1, and what a store does there."""

from __future__ import annotations

POLICIES = ("ca", "cg", "no_allocate", "evict_first", "evict_last")
"""Cache operators of loads, after the PTX ISA (9.7.9, "Cache Operators" and "Cache Eviction Priority Hints").

``ca``: look up, keep. ``cg``: pass L1 by, whatever it holds. ``no_allocate``: look up, keep nothing, leave the order.
``evict_first`` and ``evict_last``: keep, but evict before, or after, all lines that were last used otherwise.
"""

WRITES = ("around", "evict", "through", "allocate")
"""What a store does to L1; it goes to L2 in any case, since L1 writes through.

``around``: nothing (Fermi, as the paper has it). ``evict``: sectors written are dropped. ``through``: a line that is
there is renewed. ``allocate``: that, and a line that is not there gets a place, with the sectors written.
"""
