"""C as typed trees: types, expressions, and what is known of a function's variables."""
