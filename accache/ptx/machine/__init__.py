"""Programs linked, compiled to C and run."""
