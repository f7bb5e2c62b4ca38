"""Small bugs planted in the translator itself, each of which a named fast test notices."""
