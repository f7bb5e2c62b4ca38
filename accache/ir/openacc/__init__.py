"""OpenACC as values: directives and clauses, compute regions, routines, what atomic constructs and sections hold."""
