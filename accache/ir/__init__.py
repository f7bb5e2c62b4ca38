"""The typed tree every pass reads and returns: frozen dataclasses, nothing else."""
