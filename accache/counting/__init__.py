"""How often a kernel goes to global memory, as formulas: one model for choosing caches and for reporting them."""
