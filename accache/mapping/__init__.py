"""Compute constructs to kernels: loops get axes of grid and block, scalars get roles."""
