"""Kernels as passes hand them on: mapped and lowered loops, tiles and the memory they take, and plans of launches."""
