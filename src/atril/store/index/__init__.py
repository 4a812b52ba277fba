"""Engines that find points by vector: one protocol, several implementations."""
