"""What a library does, one class for each concern; `Library` in `app` is all of them."""
