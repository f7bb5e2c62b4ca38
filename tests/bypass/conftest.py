"""Here, so that tests in behaviour/ find graphs.py and random_kernels.py."""
