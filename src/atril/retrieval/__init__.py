"""From a question to the chunks that speak of it."""
