"""Builds the book from clean and checks every statement it makes against the lock and the world."""
