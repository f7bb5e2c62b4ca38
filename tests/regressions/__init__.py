"""Programs that show mistakes of the translator which its other tests do not notice."""
