"""Under which conditions a measurement was made, as far as the system tells."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np

UNKNOWN: Final = "unknown"
CPUINFO: Final = Path("/proc/cpuinfo")
GOVERNOR: Final = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")


def conditions(threads: int) -> dict[str, Any]:
    """What may matter to a time; ``unknown`` where the system does not say."""
    return {
        "cpu": cpu_model(),
        "threads": threads,
        "clock policy": _text(GOVERNOR),
        "load before": round(load(), 2),
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "blas": _blas(),
    }


def cpu_model(info: Path = CPUINFO) -> str:
    """The processor's name."""
    text = _text(info)
    for line in text.splitlines():
        if line.startswith(("model name", "Hardware")):
            return line.partition(":")[2].strip()
    return platform.processor() or UNKNOWN


def available_threads() -> int:
    """Processors that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def load() -> float:
    """Processes that wanted to run in the last minute; 0 where the system does not say."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace").strip()
    except OSError:
        return UNKNOWN


def _blas() -> str:
    found: Any = np.show_config(mode="dicts")
    blas = found.get("Build Dependencies", {}).get("blas", {}) if isinstance(found, dict) else {}
    return f"{blas.get('name', UNKNOWN)} {blas.get('version', '')}".strip()
