"""Messages from the child to its parent: length-prefixed JSON over a socket.

JSON and not pickle, so that nothing a cell makes is ever rebuilt as an object in the parent.
"""

from __future__ import annotations

import binascii
import json
import numbers
import os
import socket
import struct
from collections.abc import Iterator
from datetime import date
from typing import Any

Message = dict[str, Any]
_HEADER = struct.Struct(">Q")
_LARGEST = 1 << 40


def plain(value: object) -> object:
    """JSON for what mime bundles hold beside JSON, as Jupyter writes it.

    :raises TypeError: when there is no such form.
    """
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    if isinstance(value, bytes):
        return binascii.b2a_base64(value, newline=False).decode("ascii")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} has no JSON form: {value!r:.80}")


def encode(message: Message) -> bytes:
    """One frame. Lone surrogates become ``?``: no page could be written with them."""
    body = json.dumps(message, ensure_ascii=False, default=plain).encode("utf-8", "replace")
    return _HEADER.pack(len(body)) + body


def send(descriptor: int, message: Message) -> None:
    """Write one message whole.

    :raises OSError: when the other side, or the descriptor, is gone.
    """
    view = memoryview(encode(message))
    while view:
        view = view[os.write(descriptor, view) :]


def send_descriptor(descriptor: int, message: Message, sent: int) -> None:
    """Write one message whole, and with it a descriptor for the other side to have.

    :raises OSError: when the other side, or the descriptor, is gone.
    """
    data = encode(message)
    with socket.socket(fileno=os.dup(descriptor)) as connection:
        done = socket.send_fds(connection, [data], [sent])
        connection.sendall(data[done:])


class Decoder:
    """Turns the bytes read so far into messages."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self.broken = False

    def feed(self, data: bytes) -> Iterator[Message]:
        """The messages completed by ``data``.

        A cell can write rubbish into the socket if it goes looking for it; then ``broken`` is set
        and nothing more is believed.
        """
        self._buffer += data
        while not self.broken and len(self._buffer) >= _HEADER.size:
            (length,) = _HEADER.unpack_from(self._buffer)
            if length > _LARGEST:
                self.broken = True
                return
            end = _HEADER.size + length
            if len(self._buffer) < end:
                return
            body = bytes(self._buffer[_HEADER.size : end])
            del self._buffer[:end]
            try:
                message = json.loads(body)
            except ValueError:
                message = None
            if not isinstance(message, dict):
                self.broken = True
                return
            yield message
