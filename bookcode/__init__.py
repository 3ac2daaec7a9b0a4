"""Executable accounting for operators and kernels, and the verifier of the book built on it."""
