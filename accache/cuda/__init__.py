"""A view of CUDA kernels as C, through which the front end reads them; their text stays what it is."""
