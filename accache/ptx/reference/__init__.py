"""The reference machine: plain, slow, and easy to see that it is right."""
