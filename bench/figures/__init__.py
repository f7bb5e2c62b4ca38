"""The figures and tables of the papers as this project makes them; ``bench/papers.py`` is the command."""
