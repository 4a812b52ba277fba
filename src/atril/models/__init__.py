"""Models: the protocols their callers rely on, and the embedder that ships with Atril."""
