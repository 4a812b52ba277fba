"""Embedding models of providers and of fastembed, each behind an extra."""
