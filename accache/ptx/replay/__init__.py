"""Launches of a run, executed again and compared."""
