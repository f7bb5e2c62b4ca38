"""Random programs: a grammar, a campaign that runs them, a minimiser, and a table of what they cover."""
