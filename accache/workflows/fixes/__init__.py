"""Fix-its: mends for mistakes in directives, offered where the mended program is known to be right."""
