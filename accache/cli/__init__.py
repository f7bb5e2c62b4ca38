"""The command line: one click command a file, no logic."""
