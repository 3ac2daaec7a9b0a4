"""Figures drawn from ledger values."""
