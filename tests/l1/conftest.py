"""Here, so that tests in behaviour/ find launches.py."""
