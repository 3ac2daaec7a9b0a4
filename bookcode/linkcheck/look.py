"""Second requests, for pages about which the builder's report leaves doubts."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urldefrag, urlsplit

from sphinx.util import requests

from .pace import Pace
from .records import Answer
from .rules import Rules

MAX_BYTES: Final = 4 * 2**20
"""How much of a page is read, to find an anchor or the marks of a bot wall."""
SECONDS: Final = 20.0


class SecondLook:
    """Asks for pages; a host that did not answer once is not asked again."""

    def __init__(self, rules: Rules, seconds: float = SECONDS) -> None:
        self._pace = Pace(rules)
        self._seconds = seconds
        self._silent: set[str] = set()

    def __call__(self, uri: str) -> Answer | None:
        """The answer; None when the host does not give one in time or the connection fails."""
        host = urlsplit(uri).netloc
        if host in self._silent:
            return None
        self._pace.wait(uri)
        address, _ = urldefrag(uri)
        try:
            with requests.get(address, timeout=self._seconds, stream=True) as response:
                headers = {name.lower(): value for name, value in response.headers.items()}
                return Answer(response.status_code, headers, _beginning(response))
        except OSError:  # what the HTTP library raises derives from it
            self._silent.add(host)
            return None


def _beginning(response: Any) -> str:
    """The first part of the content as text; bytes that are none are replaced."""
    content = b""
    for chunk in response.iter_content(chunk_size=65536):
        content += chunk
        if len(content) >= MAX_BYTES:
            break
    encoding = response.encoding or "utf-8"
    try:
        return content.decode(encoding, errors="replace")
    except LookupError:
        return content.decode("utf-8", errors="replace")
