"""The differential matrix: generated programs, translated by every combination of options, against plain C."""
