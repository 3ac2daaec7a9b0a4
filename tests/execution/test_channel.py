from __future__ import annotations

import os
import struct
from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bookcode.execution.channel import Decoder, encode, plain, send

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
MESSAGES = st.lists(st.dictionaries(st.text(), JSON, max_size=4), max_size=4)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(MESSAGES, st.integers(1, 64))
def test_messages_survive_any_cut_of_the_bytes(messages: list[dict[str, Any]], size: int) -> None:
    data = b"".join(map(encode, messages))
    decoder = Decoder()
    chunks = [data[start : start + size] for start in range(0, len(data), size)]
    assert [message for chunk in chunks for message in decoder.feed(chunk)] == messages
    assert not decoder.broken


@pytest.mark.parametrize(
    "rubbish",
    [
        b"\xff" * 16,
        struct.pack(">Q", 3) + b"not",
        struct.pack(">Q", 2) + b"[]",
        struct.pack(">Q", 1) + b"\xff",
    ],
)
def test_rubbish_is_noticed_and_nothing_after_it_believed(rubbish: bytes) -> None:
    decoder = Decoder()
    assert list(decoder.feed(encode({"kind": "start"}) + rubbish + encode({"kind": "done"}))) == [
        {"kind": "start"}
    ]
    assert decoder.broken
    assert list(decoder.feed(encode({"kind": "done"}))) == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.int64(3), 3),
        (np.float32(0.5), 0.5),
        (b"\x00\xff", "AP8="),
        (date(2024, 2, 29), "2024-02-29"),
        ({"b", "a"}, ["a", "b"]),
    ],
)
def test_values_beside_json_are_written_as_jupyter_does(value: object, expected: object) -> None:
    result = plain(value)
    assert result == expected
    assert type(result) is type(expected)


def test_what_has_no_json_form_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="complex has no JSON form"):
        plain(1j)


def test_a_lone_surrogate_does_not_reach_the_page() -> None:
    (message,) = Decoder().feed(encode({"text": "a\udc80b"}))
    assert message == {"text": "a?b"}


def test_sending_into_a_closed_pipe_is_an_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        with pytest.raises(OSError, match="pipe"):
            send(writing, {"kind": "done"})
    finally:
        os.close(writing)
