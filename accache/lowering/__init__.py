"""Mapped and cached kernels to SIMT form: indices, guards, fetches, barriers."""
