"""accache called from Python: what ``import accache`` offers, loaded when it is asked for (docs/api.md)."""
