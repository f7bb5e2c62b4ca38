"""The text of a C file: preprocessed, cut into tokens, with the way back to raw lines."""
