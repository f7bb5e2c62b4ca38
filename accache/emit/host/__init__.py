"""Host text: what stands in the place of directives, launch stubs, and what launches find out and pass."""
