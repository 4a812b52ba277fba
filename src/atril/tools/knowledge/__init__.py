"""Search in a knowledge base behind HTTP (seed 002): a client, parsers, and the tool over both."""
