"""Files in, canonical text and chunks out: parsing, languages, words, chunks. Knows nothing of the store."""
