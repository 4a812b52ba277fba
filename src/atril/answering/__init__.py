"""From what was found to an answer whose every sentence can be checked."""
