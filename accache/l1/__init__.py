"""The reuse-distance model of a GPU's L1 cache: memory traces in, counts of hits and misses out."""
