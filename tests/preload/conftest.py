"""Here, so that tests in behaviour/ find view_checks.py."""
