"""Golden files of emitted kernels, and the small programs they come from."""
