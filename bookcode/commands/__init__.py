"""The ledger's commands: operators, training steps, requests, memory, machines.

Each module holds one click command; :data:`LEDGER_COMMANDS` names them as "module:attribute", to be
imported when asked for.
"""

from __future__ import annotations

from typing import Final

LEDGER_COMMANDS: Final = {
    "ops": "bookcode.commands.ops:ops_command",
    "step": "bookcode.commands.step:step_command",
    "request": "bookcode.commands.request:request_command",
    "memory": "bookcode.commands.memory:memory_command",
    "machines": "bookcode.commands.machines:machines_command",
}
