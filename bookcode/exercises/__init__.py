"""Model solutions to the exercises that ask for code, written as a reader would write them.

They use the ledger's building blocks (`read`, `write`, `Work`, `Cost`) and none of its operators,
so each line of a solution is one term of the count. ``python -m bookcode.exercises`` runs them.
"""

from bookcode.exercises.attention import attention_fused_tail
from bookcode.exercises.elementwise import residual_add, rope, rope_add, silu, silu_add

__all__ = ["attention_fused_tail", "residual_add", "rope", "rope_add", "silu", "silu_add"]
