"""Which arrays of a CUDA kernel threads share, in closed form, and which copies in shared memory pay."""
