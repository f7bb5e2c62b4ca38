"""``accache serve``: a playground in the browser, with exercises (docs/playground.md)."""
