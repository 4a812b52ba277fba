"""The command line: one file per group of commands, `main` as the door."""
