"""PTX text to a tree."""
