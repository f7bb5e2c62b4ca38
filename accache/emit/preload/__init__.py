"""Second versions of CUDA kernels that copy what their threads share into shared memory, as edits of a .cu text."""
