"""What becomes of a kernel's variables: copies, roles of scalars, device memory, sections of arrays."""
