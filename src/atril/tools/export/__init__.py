"""One set of tools behind the doors that others have built: each file adapts it to one of them."""
