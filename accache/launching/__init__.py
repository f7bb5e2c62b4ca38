"""Lowered kernels to launch plans: their versions, what decides between these, grids, and parameters."""
