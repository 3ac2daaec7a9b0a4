"""Objects over a socket, between processes of ours that trust each other: length and pickle.

Nothing that comes from a process that runs cells may be read this way
(:mod:`bookcode.execution.channel` is for that).
"""

from __future__ import annotations

import pickle
import socket
import struct
from typing import Any, Final

_HEAD: Final = struct.Struct("!Q")
_CHUNK: Final = 1 << 20


def send(connection: socket.socket, message: object) -> None:
    """Send an object whole.

    :raises OSError: when the other side is gone.
    """
    data = pickle.dumps(message)
    connection.sendall(_HEAD.pack(len(data)) + data)


def receive(connection: socket.socket) -> Any:
    """The next object.

    :raises EOFError: when the other side is gone.
    :raises OSError: when the connection is broken.
    """
    (size,) = _HEAD.unpack(_exactly(connection, _HEAD.size))
    return pickle.loads(_exactly(connection, size))


def _exactly(connection: socket.socket, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        part = connection.recv(min(size - len(parts), _CHUNK))
        if not part:
            raise EOFError
        parts += part
    return bytes(parts)


def send_descriptor(connection: socket.socket, descriptor: int) -> None:
    """Send a descriptor for the other side to have.

    :raises OSError: when the other side is gone.
    """
    socket.send_fds(connection, [b"\0"], [descriptor])


def receive_descriptor(connection: socket.socket) -> int:
    """The next descriptor.

    :raises EOFError: when the other side is gone.
    """
    _, descriptors, _, _ = socket.recv_fds(connection, 1, 1)
    if not descriptors:
        raise EOFError
    return descriptors[0]
