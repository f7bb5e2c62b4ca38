"""CUDA kernels whose threads get lines of their own: accache_private.cuh declared at their entry, by exact edits."""
