"""What a language model may call: tools with typed arguments that answer in text and never raise."""
