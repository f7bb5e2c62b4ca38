"""``accache preload``: kernels of a CUDA program rewritten so that blocks copy what their threads share."""
