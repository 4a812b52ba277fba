"""How well a library finds what it should, measured on questions whose answers are known."""
