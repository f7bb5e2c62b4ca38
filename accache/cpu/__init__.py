"""Build and run an emitted .cu program with g++ on a plain CPU, and check what its kernels do."""
