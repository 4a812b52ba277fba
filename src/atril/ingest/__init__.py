"""The way in: parse → chunk → enrich → embed → commit."""
