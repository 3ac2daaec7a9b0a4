"""Errors of the live server."""

from __future__ import annotations


class LiveError(Exception):
    """Root of the errors of this package."""


class PortTakenError(LiveError):
    """Another program listens on the port.

    Attributes:
        port: the port.
        free: one that nobody listens on now.
    """

    def __init__(self, port: int, free: int) -> None:
        self.port = port
        self.free = free
        super().__init__(
            f"port {port} is taken by another program; choose another: --port {free}, "
            "or --port 0 for any that is free"
        )


class SphinxSeamError(LiveError):
    """The part of Sphinx that the warm builder drives is not as expected."""


class RestartNeeded(LiveError):  # noqa: N818 - a request, not a fault
    """The builder itself, or what it read when it started, has changed.

    Attributes:
        path: what changed, relative to the project's root.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(f"{path} changed: the builder starts again")
