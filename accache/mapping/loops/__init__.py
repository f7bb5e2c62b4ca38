"""Loops made ready for threads: canonical counters, plain steps, collapsed nests."""
