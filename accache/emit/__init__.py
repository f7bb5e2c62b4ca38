"""Floor 3: from lowered kernels to CUDA text. The only floor that knows jinja2 and prints C."""
