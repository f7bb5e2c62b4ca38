"""Floor 2: loop-to-grid mapping, cache sharing, sizes, choice of storage, and the lowering to SIMT form."""
