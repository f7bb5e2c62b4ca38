"""Several iterations a thread, and elements that stay in registers."""
