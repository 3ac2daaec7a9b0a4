"""The outputs of the running cell, in the form and order a Jupyter kernel gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from bookcode.execution.model import Output

StreamName = Literal["stdout", "stderr"]
_STREAMS: tuple[StreamName, ...] = ("stdout", "stderr")

Late = Callable[[int, int, Output], None]


class CellOutputs:
    """Collects outputs; text written meanwhile comes before the display that follows it.

    :param tails: for each stream, the text that programs wrote to its descriptor since last time.
    :param late: told (cell position, output position, new output) when a cell updates a display
        of an earlier cell.
    :param shorten: applied to each line of a traceback, to take this machine's folders out.
    """

    def __init__(
        self,
        tails: dict[StreamName, Callable[[], str]],
        late: Late,
        shorten: Callable[[str], str],
    ) -> None:
        self._tails = tails
        self._late = late
        self._shorten = shorten
        self._cell = -1
        self._outputs: list[Output] = []
        self._text: dict[StreamName, list[str]] = {name: [] for name in _STREAMS}
        self._displays: dict[str, list[tuple[int, int, Output]]] = {}
        self._clear_next = False
        self.last_error: Output | None = None

    def begin(self, cell: int) -> None:
        """Start the outputs of the cell at this position."""
        self._cell = cell
        self._outputs = []
        self._clear_next = False
        self.last_error = None

    def end(self) -> list[Output]:
        """The outputs of the cell that has run."""
        self.flush()
        return self._outputs

    def write(self, name: StreamName, text: str) -> None:
        """Add text to a stream."""
        if text:
            self._take_tail(name)
            self._text[name].append(text)

    def flush(self, *names: StreamName) -> None:
        """Make outputs of the text so far, of all streams unless some are named."""
        for name in names or _STREAMS:
            self._take_tail(name)
            text, self._text[name] = "".join(self._text[name]), []
            if text:
                self._add_text(name, text)

    def display(
        self, data: dict[str, Any], metadata: dict[str, Any], identity: str | None = None
    ) -> None:
        """Add something displayed; ``identity`` lets it be updated later."""
        output = {"output_type": "display_data", "data": data, "metadata": metadata}
        self._add(output)
        if identity is not None:
            position = (self._cell, len(self._outputs) - 1, output)
            self._displays.setdefault(identity, []).append(position)

    def update(self, identity: str | None, data: dict[str, Any], metadata: dict[str, Any]) -> None:
        """Change every display of this identity, in this cell and in earlier ones."""
        self.flush()
        for cell, position, output in self._displays.get(identity or "", []):
            output.update(data=data, metadata=metadata)
            if cell != self._cell:
                self._late(cell, position, output)

    def result(self, data: dict[str, Any], metadata: dict[str, Any], count: int) -> None:
        """Add the value of the last expression."""
        self._add(
            {
                "output_type": "execute_result",
                "data": data,
                "metadata": metadata,
                "execution_count": count,
            }
        )

    def error(self, ename: str, evalue: str, traceback: list[str]) -> None:
        """Add an exception."""
        lines = [self._shorten(line) for line in traceback]
        self.last_error = {
            "output_type": "error",
            "ename": ename,
            "evalue": evalue,
            "traceback": lines,
        }
        self._add(self.last_error)

    def clear(self, *, wait: bool) -> None:
        """Drop the cell's outputs, now or when the next one comes."""
        self.flush()
        if wait:
            self._clear_next = True
        else:
            self._drop()

    def _drop(self) -> None:
        self._outputs.clear()
        for identity, places in self._displays.items():
            self._displays[identity] = [place for place in places if place[0] != self._cell]

    def _add(self, output: Output) -> None:
        self.flush()
        self._append(output)

    def _add_text(self, name: StreamName, text: str) -> None:
        last = self._outputs[-1] if self._outputs and not self._clear_next else None
        if last is not None and last.get("name") == name:
            last["text"] += text
        else:
            self._append({"output_type": "stream", "name": name, "text": text})

    def _append(self, output: Output) -> None:
        if self._clear_next:
            self._clear_next = False
            self._drop()
        self._outputs.append(output)

    def _take_tail(self, name: StreamName) -> None:
        text = self._tails[name]()
        if text:
            self._text[name].append(text)
