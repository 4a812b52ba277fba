"""The Qdrant engine, embedded in the process."""
