"""How densely the threads of a block use the elements of an array; nothing of C, PTX or caches."""
