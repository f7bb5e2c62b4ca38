"""The reference machine: simple and slow, but evidently right."""
