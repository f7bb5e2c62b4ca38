"""Values and services that all floors share: text, diagnostics, options, files, the cache folder."""
