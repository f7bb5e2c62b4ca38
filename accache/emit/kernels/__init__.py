"""Kernels and routines as CUDA text: signatures, tiles and their copies, reductions, atomic accesses."""
