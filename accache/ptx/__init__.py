"""PTX: reading it, executing it on a CPU, and putting changed PTX back."""
