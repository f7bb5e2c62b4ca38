"""OpenACC as typed values: pragmas, clauses, constructs, and what is refused."""
