"""The compiler driver: gcc's command line in, object files and programs out."""
