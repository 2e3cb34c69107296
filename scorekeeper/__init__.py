"""Keeps score at a card table and settles the evening."""

__version__ = "0.1.0"
