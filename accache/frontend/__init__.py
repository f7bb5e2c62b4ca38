"""Floor 1: from source text to the typed tree. The only floor that knows pycparser."""
