"""The yardstick: what emitted kernels cost a GPU, from launches that are executed on the PTX machine."""
