"""Search in a knowledge base behind HTTP: a client, parsers, and the tool over both."""
