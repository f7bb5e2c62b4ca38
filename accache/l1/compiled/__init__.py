"""The model once more, compiled by numba: the same counts, for long traces."""
