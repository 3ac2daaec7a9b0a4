"""The ledger against reality: measured times, other people's counters, published tables.

Everything here tries to refute the ledger with data that this project did not make:

* :mod:`.tables`, :mod:`.covering`, :mod:`.bounds`, :mod:`.explaining`, :mod:`.survey`: measured
  times inside a pinned wheel, row by row against the bound;
* :mod:`.reading`, :mod:`.counters`: formulas of other people, read out of their pinned sources;
* :mod:`.published`: published numbers, recomputed from their own inputs;
* :mod:`.mutants`: the ledger with one mistake in it, against all of the above;
* :mod:`.calibrate`: the reader's own machine.
"""
