"""The memory of a home: records are the truth, every index is derived from them."""
