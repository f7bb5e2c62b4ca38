"""What kernels are estimated to take with tiles and without, and which tiles pay."""
