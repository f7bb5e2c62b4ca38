"""The GPU run: correctness, times, counters and microbenchmarks of one GPU, in four stages."""
