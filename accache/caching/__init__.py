"""Cache directives to tiles: which method serves a subarray, how large, shared by whom (paper 004)."""
