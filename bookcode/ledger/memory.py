"""Does it fit? What a model holds in memory while it trains and while it answers.

Training holds, per parameter, the 16-bit working copy, the gradient, and the optimizer's state
(parameter and two moments); per token, what the backward pass needs of the forward pass. Inference
holds the weights and the KV cache. All sizes are per rank, in bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from bookcode.ledger.errors import UnknownNameError
from bookcode.ledger.latent_models import LatentModel
from bookcode.ledger.machines import Machine
from bookcode.ledger.models import Model
from bookcode.ledger.operator import operator
from bookcode.ledger.ops.optimizer import Copy, Grad, State
from bookcode.ledger.protocol import Number
from bookcode.ledger.stages import ZERO_STAGES, Zero
from bookcode.ledger.symbols import Batch, Keys, Parameters, Ranks, Seq, Subscript
from bookcode.ledger.tables import DTYPES, DType

Cache = Annotated[DType, Subscript("c")]
Statistics = Annotated[DType, Subscript("l")]


@dataclass(frozen=True)
class StateMemory:
    """What training holds per parameter. Unit: B.

    Attributes:
        weights: the 16-bit working copy.
        gradient: the gradient.
        state: parameter and moments as the optimizer keeps them.
    """

    weights: Number
    gradient: Number
    state: Number

    @property
    def total(self) -> Number:
        """All three."""
        return self.weights + self.gradient + self.state


@operator
def training_state(
    parameters: Parameters,
    *,
    copy: Copy = DTYPES["bf16"],
    grad: Grad = DTYPES["bf16"],
    state: State = DTYPES["fp32"],
    zero: Zero = "none",
    ranks: Ranks | None = None,
) -> StateMemory:
    """Weights, gradient and optimizer state of P parameters.

    ZeRO (citation X4) divides by the ranks: stage 1 the state, 2 also the gradient, 3 also the
    weights.

    Raises:
        UnknownNameError: for another stage, or a stage without a number of ranks.
    """
    if zero not in ZERO_STAGES:
        raise UnknownNameError("ZeRO stage", zero, ZERO_STAGES)
    if zero != "none" and ranks is None:
        raise UnknownNameError("number of ranks for ZeRO stage", zero, ["ranks=..."])
    sizes = (parameters * copy.bytes, parameters * grad.bytes, parameters * (3 * state.bytes))
    first_sharded = {"none": 3, "1": 2, "2": 1, "3": 0}[zero]
    held = [size if i < first_sharded else size / ranks for i, size in enumerate(sizes)]  # type: ignore[operator]
    return StateMemory(*held)


@dataclass(frozen=True)
class ActivationMemory:
    """What the backward pass needs of the forward pass. Unit: B.

    Attributes:
        layers: kept of every layer.
        working: of the one layer that is computed again, with checkpointing; else nothing.
        logits: of all positions.
    """

    layers: Number
    working: Number | None
    logits: Number

    @property
    def total(self) -> Number:
        """All of it."""
        kept = self.layers if self.working is None else self.layers + self.working
        return kept + self.logits


@operator
def activations(
    seq: Seq,
    *,
    model: Model,
    dtype: DType = DTYPES["bf16"],
    statistics: Statistics = DTYPES["fp32"],
    batch: Batch | None = None,
    checkpointing: bool = False,
) -> ActivationMemory:
    """Kept of the forward pass, with attention in flash style.

    Per token and layer: the inputs of both norms, of the QKV and of the gate-and-up product (4 h),
    Q, K, V and the attention's output ((2H + 2H_kv) d), gate, up and their product (3 f), and a row
    statistic per head. With checkpointing: each layer's input, and one layer's set while it is
    computed again. Logits are kept in ``dtype`` for all positions.
    """
    tokens = seq if batch is None else batch * seq
    heads = 2 * model.heads + 2 * model.kv_heads
    kept = 4 * model.hidden + heads * model.head_dim + 3 * model.ffn
    layer = tokens * kept * dtype.bytes + tokens * model.heads * statistics.bytes
    logits = tokens * model.vocab * dtype.bytes
    if checkpointing:
        inputs = model.layers * tokens * model.hidden * dtype.bytes
        return ActivationMemory(inputs, layer, logits)
    return ActivationMemory(model.layers * layer, None, logits)


@dataclass(frozen=True)
class InferenceMemory:
    """What inference holds. Unit: B.

    Attributes:
        weights: all parameters.
        cache: the KV cache of all sequences.
    """

    weights: Number
    cache: Number

    @property
    def total(self) -> Number:
        """Both."""
        return self.weights + self.cache


@operator
def inference_memory(
    keys: Keys,
    *,
    model: Model,
    dtype: DType = DTYPES["bf16"],
    cache: Cache | None = None,
    batch: Batch | None = None,
) -> InferenceMemory:
    """Weights in ``dtype`` and caches of T positions in ``cache`` (default: the same type)."""
    return _inference(keys, model, dtype, cache, batch)


@operator
def latent_inference_memory(
    keys: Keys,
    *,
    model: LatentModel,
    dtype: DType = DTYPES["bf16"],
    cache: Cache | None = None,
    batch: Batch | None = None,
) -> InferenceMemory:
    """As :func:`inference_memory`, with latents in the cache."""
    return _inference(keys, model, dtype, cache, batch)


def _inference(
    keys: Number,
    model: Model | LatentModel,
    dtype: DType,
    cache: DType | None,
    batch: Number | None,
) -> InferenceMemory:
    stored = dtype if cache is None else cache
    positions = keys if batch is None else batch * keys
    return InferenceMemory(
        model.counted_parameters * dtype.bytes, positions * model.cached_elements * stored.bytes
    )


@operator
def cache_per_token(*, model: Model, dtype: DType = DTYPES["bf16"]) -> Number:
    """Bytes that the KV cache keeps of one token, over all layers. Unit: B."""
    return model.cached_elements * dtype.bytes


def fits(held: Number, machine: Machine) -> Any:
    """Whether so many bytes fit into the machine's main memory.

    Raises:
        MissingFactError: when the profile does not state its capacity.
    """
    return held <= machine.capacity("hbm")
