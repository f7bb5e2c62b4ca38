"""The typed tree every pass reads and returns: frozen records (msgspec.Struct), nothing else."""
