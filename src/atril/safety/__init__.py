"""What guards the library against its inputs: pure functions, nothing remembered."""
