"""From source text to the typed tree. The only floor that knows pycparser."""
