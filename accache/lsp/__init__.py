"""``accache lsp``: what editors show of a program while it is typed (docs/editors.md)."""
