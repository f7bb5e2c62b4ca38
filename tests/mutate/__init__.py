"""Mutation testing: planted bugs in emitted kernels, each of which the checks must find."""
