from __future__ import annotations

import os
import time

from hypothesis import given
from hypothesis import strategies as st

from bookcode.live.protocol import Inbox, decode, encode

TEXTS = st.text(max_size=20)


@given(st.dictionaries(TEXTS, st.lists(TEXTS) | st.integers() | st.booleans()))
def test_a_message_is_one_line_and_comes_back(message: dict[str, object]) -> None:
    line = encode(message)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert decode(line) == message


def test_messages_come_in_order_whatever_the_pieces() -> None:
    reading, writing = os.pipe()
    inbox = Inbox(reading)
    assert not inbox.poll()
    data = encode({"n": 1}) + encode({"n": 2}) + encode({"n": "三"})
    for i in range(len(data)):
        os.write(writing, data[i : i + 1])
        inbox.peek()
    assert inbox.poll()
    assert inbox.peek() == [{"n": 1}, {"n": 2}, {"n": "三"}]
    assert inbox.take() == [{"n": 1}, {"n": 2}, {"n": "三"}]
    assert inbox.take() == []
    assert not inbox.closed


def test_the_end_wakes_those_who_wait() -> None:
    reading, writing = os.pipe()
    inbox = Inbox(reading)
    started = time.monotonic()
    assert not inbox.poll(0.05)
    assert time.monotonic() - started >= 0.04
    os.close(writing)
    assert inbox.poll(None)
    assert inbox.closed
    assert inbox.take() == []


def test_half_a_message_is_none() -> None:
    reading, writing = os.pipe()
    inbox = Inbox(reading)
    os.write(writing, b'{"n": 1')
    assert not inbox.poll(0.01)
    os.write(writing, b"}\n")
    assert inbox.poll()
