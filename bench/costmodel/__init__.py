"""bench/cost's model held against run times that others measured on GPUs: ``python bench/costmodel HUB``."""
