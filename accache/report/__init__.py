"""What became of every cache directive, as data and as text."""
