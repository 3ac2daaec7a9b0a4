"""The live server: a warm build process behind a small local server, for editing and seeing.

Two processes. The server (:mod:`~bookcode.live.commands`) watches files, serves pages and tells
browsers; it imports no Sphinx. The builder (:mod:`~bookcode.live.worker`) keeps one Sphinx
application warm, and forks to run cells. They speak JSON, a line a message
(:mod:`~bookcode.live.protocol`).
"""
