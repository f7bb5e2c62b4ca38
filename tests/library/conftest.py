"""Here, so that tests in behaviour/ find surface.py."""
