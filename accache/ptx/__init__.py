"""PTX: read it, execute it launch by launch, compare what it does to memory, rewrite it."""
