"""The live server: a warm build process behind a small local server, for editing and seeing.

Two processes. The server (:mod:`~bookcode.live.commands`) watches files, serves pages and tells
browsers; it imports no Sphinx. The builder (:mod:`~bookcode.live.worker`) keeps one Sphinx
application warm. They speak JSON, a line a message (:mod:`~bookcode.live.protocol`). Cells are run
by a third one that the builder forks (:mod:`~bookcode.live.kitchen`), and go on from the edited
cell where they can (:mod:`~bookcode.live.resuming`).
"""
