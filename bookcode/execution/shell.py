"""An IPython shell whose output becomes notebook outputs, as a Jupyter kernel's would.

It lives in a forked process and replaces ``sys.stdout``, ``__main__`` and the like there.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from IPython.core.compilerop import CachingCompiler
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.profiledir import ProfileDir
from traitlets import Type
from traitlets.config import Config

from bookcode.execution.errors import DisplayError, ExecutionError
from bookcode.execution.outputs import CellOutputs, StreamName

_INLINE = "module://matplotlib_inline.backend_inline"


def cell_file(number: int) -> str:
    """The file name that tracebacks and warnings give to the cell of this execution count.

    IPython shows a ``.py`` that is no file the short way, as it does a kernel's cells.
    """
    return f"<cell-{number}>.py"


class CellCompiler(CachingCompiler):
    """Names cells by their count: a Jupyter kernel's name holds its process id."""

    def get_code_name(self, raw_code: str, transformed_code: str, number: int) -> str:
        """The file name for a cell's code."""
        return cell_file(number)


class CellStream(io.TextIOBase):
    """``sys.stdout`` or ``sys.stderr`` of the cells."""

    def __init__(self, outputs: CellOutputs, name: StreamName, descriptor: int) -> None:
        self._outputs = outputs
        self._name: StreamName = name
        self._descriptor = descriptor
        self._owner = os.getpid()

    def take_over(self) -> None:
        """Be the stream of this process, which was forked from the one that had it."""
        self._owner = os.getpid()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """What a terminal would take."""
        return "UTF-8"

    def writable(self) -> bool:
        """Yes."""
        return True

    def fileno(self) -> int:
        """The descriptor that programs started with this stream write to."""
        return self._descriptor

    def write(self, text: str) -> int:
        """Add text to the running cell's output."""
        if not isinstance(text, str):
            raise TypeError(f"write() takes text, not {type(text).__name__}")
        if os.getpid() == self._owner:
            self._outputs.write(self._name, text)
        else:
            # a process forked by a cell has only a copy of the outputs
            os.write(self._descriptor, text.encode("utf-8", "replace"))
        return len(text)

    def flush(self) -> None:
        """Close the text so far, so that other output comes after it."""
        if not self.closed and os.getpid() == self._owner:
            self._outputs.flush(self._name)


class DescriptorTail:
    """New text in the file that a standard descriptor was pointed at."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._descriptor = descriptor
        self.file = _open_tail(path)
        os.dup2(self.file, descriptor)
        self._offset = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def take_over(self, path: Path) -> None:
        """Point the descriptor at another file, which is empty."""
        new = _open_tail(path)
        os.dup2(new, self.file, inheritable=False)
        os.close(new)
        os.dup2(self.file, self._descriptor)
        self._offset = 0

    def read(self) -> str:
        """What was written since the last call."""
        try:
            size = os.fstat(self.file).st_size - self._offset
            data = os.pread(self.file, size, self._offset) if size > 0 else b""
        except OSError:  # a cell closed it
            return ""
        self._offset += len(data)
        return self._decoder.decode(data)


def _open_tail(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)


class CellDisplayHook(DisplayHook):
    """Turns the value of a cell's last expression into an output."""

    _bundle: tuple[dict[str, Any], dict[str, Any]] | None = None

    def write_output_prompt(self) -> None:
        """Nothing: the page shows no prompt."""

    def write_format_data(
        self, format_dict: dict[str, Any], md_dict: dict[str, Any] | None = None
    ) -> None:
        """Keep the forms of the value until the hook ends."""
        self._bundle = (format_dict, md_dict or {})

    def finish_displayhook(self) -> None:
        """Hand the value over."""
        if self._bundle is not None and self._bundle[0]:
            data, metadata = self._bundle
            outputs: CellOutputs = self.shell.outputs  # type: ignore[union-attr]
            outputs.result(_checked(data), metadata, self.prompt_count)
        self._bundle = None
        self._is_active = False


class CellDisplayPublisher(DisplayPublisher):
    """Turns what a cell displays into outputs."""

    def publish(
        self,
        data: dict[str, Any],
        metadata: dict[str, Any] | None = None,
        source: object = None,
        *,
        transient: dict[str, Any] | None = None,
        update: bool = False,
        **_: Any,
    ) -> None:
        """Add a display, or update the earlier ones of the same display id."""
        self._validate_data(data, metadata)  # type: ignore[no-untyped-call]
        identity = (transient or {}).get("display_id")
        outputs: CellOutputs = self.shell.outputs
        if update:
            outputs.update(identity, _checked(data), metadata or {})
        else:
            outputs.display(_checked(data), metadata or {}, identity)

    def clear_output(self, wait: bool = False) -> None:
        """Drop the cell's output so far, now or with the next output."""
        self.shell.outputs.clear(wait=wait)


class CellShell(InteractiveShell):
    """The shell: IPython without a terminal, history file, profile or user configuration."""

    displayhook_class = Type(CellDisplayHook)
    display_pub_class = Type(CellDisplayPublisher)
    compiler_class = Type(CellCompiler)

    outputs: CellOutputs
    on_error: Callable[[BaseException | None], bool]

    @classmethod
    def create(
        cls, outputs: CellOutputs, scratch: Path, on_error: Callable[[BaseException | None], bool]
    ) -> CellShell:
        """The process's shell; ``on_error`` hears of an error first, says whether to show it."""
        InteractiveShell.clear_instance()
        cls.outputs = outputs
        cls.on_error = staticmethod(on_error)
        config = Config()
        config.HistoryManager.enabled = False
        profile = ProfileDir(location=os.fspath(scratch / "profile"))
        shell: CellShell = cls.instance(
            config=config, ipython_dir=os.fspath(scratch), profile_dir=profile
        )
        shell._draw_inline()
        return shell

    def make_folders(self) -> None:
        """Make the shell's folders, those of its (empty) profile, where they are no longer."""
        assert self.profile_dir is not None
        Path(self.profile_dir.location).mkdir()
        self.profile_dir.check_dirs()

    def init_virtualenv(self) -> None:
        """Nothing: the interpreter is the one that builds the book."""

    def enable_gui(self, gui: str | None = None) -> None:
        """Nothing for figures in the page; there are no windows.

        :raises UsageError: for the event loop of a window system.
        """
        if gui not in (None, "inline"):
            raise UsageError(f"a chapter has no windows: cannot use {gui!r}")

    def ask_exit(self) -> None:
        """Refuse ``exit`` and ``quit``.

        :raises ExecutionError: always.
        """
        raise ExecutionError("a cell cannot end the run of its chapter")

    def showtraceback(self, *args: Any, **kwargs: Any) -> None:
        """Show the current exception as an error output."""
        if self.on_error(sys.exc_info()[1]):
            super().showtraceback(*args, **kwargs)

    def _showtraceback(self, etype: type, evalue: BaseException, stb: list[str]) -> None:
        self.outputs.error(etype.__name__, str(evalue), stb)

    def _draw_inline(self) -> None:
        """Send figures at the end of the cell that made them, as a kernel does."""
        os.environ["MPLBACKEND"] = _INLINE
        if "matplotlib" not in sys.modules:
            return  # the backend finds this shell when a cell imports it
        try:
            from IPython.core.pylabtools import activate_matplotlib
            from matplotlib_inline.backend_inline import configure_inline_support
        except ImportError:
            return
        activate_matplotlib(_INLINE)  # type: ignore[no-untyped-call]
        configure_inline_support(self, _INLINE)  # type: ignore[no-untyped-call]


def _checked(data: dict[str, Any]) -> dict[str, Any]:
    """The bundle, if a notebook can hold it.

    :raises DisplayError: for structured data under a type that is not JSON.
    """
    for mime, value in data.items():
        is_json = mime == "application/json" or mime.endswith("+json")
        is_text = isinstance(value, (str, bytes)) or (
            isinstance(value, list) and all(isinstance(line, str) for line in value)
        )
        if not is_json and not is_text:
            raise DisplayError(
                f"data of type {mime!r} must be text, not {type(value).__name__}; "
                f"structured data needs a type such as {mime + '+json'!r}"
            )
    return data
