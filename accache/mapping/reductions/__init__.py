"""Reductions that are written, implied or found, and arrays that blocks count in."""
