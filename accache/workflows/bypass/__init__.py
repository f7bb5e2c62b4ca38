"""The chain of ``accache bypass``: a trace, the model of L1, decisions, and PTX or a program that follows them."""
