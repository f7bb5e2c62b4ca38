"""From launch plans to CUDA text. The only floor that knows jinja2 and prints C."""
