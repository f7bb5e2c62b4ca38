"""Which arrays of a program are worth a copy in shared memory, by traces of its launches."""
