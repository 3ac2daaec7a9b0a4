"""The words of the tables that hold the ledger against reality, in the languages of the book."""

from __future__ import annotations

import functools
from typing import Final

from bookcode.sphinxext.wording import said
from bookcode.words import Words

WORDS: Final[Words] = {
    # operators
    "product": {"en": "product, 16-bit", "zh": "矩阵乘，16 位"},
    "product-8-bit": {"en": "product, 8-bit", "zh": "矩阵乘，8 位"},
    "prompt": {"en": "attention over a prompt", "zh": "提示词上的注意力"},
    "token": {"en": "attention, one token", "zh": "单个 token 的注意力"},
    "all-reduce": {"en": "all-reduce, ring", "zh": "环形 all-reduce"},
    "gemm": {"en": "products", "zh": "矩阵乘"},
    "prefill": {"en": "attention over prompts", "zh": "提示词上的注意力"},
    "decode": {"en": "attention, tokens", "zh": "逐 token 的注意力"},
    "all_reduce": {"en": "all-reduce", "zh": "all-reduce"},
    "all_gather": {"en": "all-gather", "zh": "all-gather"},
    "reduce_scatter": {"en": "reduce-scatter", "zh": "reduce-scatter"},
    "all_to_all": {"en": "all-to-all", "zh": "all-to-all"},
    "listed": {"en": ", ", "zh": "、"},
    # sizes
    "size-below": {"en": "below {high}", "zh": "{high} 以下"},
    "size-between": {"en": "{low} to {high}", "zh": "{low} 到 {high}"},
    "size-above": {"en": "above {low}", "zh": "{low} 以上"},
    # classes of rows that beat the bound
    "nothing ran": {"en": "nothing ran", "zh": "什么也没运行"},
    "wrong precision": {"en": "wrong precision", "zh": "精度标错"},
    "other device": {"en": "other device", "zh": "另一种设备"},
    "keys only": {"en": "keys only", "zh": "只有键"},
    "added in the switch": {"en": "added in the switch", "zh": "在交换机内相加"},
    "warm cache": {"en": "warm cache", "zh": "热缓存"},
    "means nothing ran": {
        "en": "The kernel does less than the operator: the time is that of an empty launch.",
        "zh": "kernel 做的比算子少：时间只是一次空启动的时间。",
    },
    "means wrong precision": {
        "en": "The label is wrong: the rows were measured in another precision.",
        "zh": "标签有误：这些行是以另一种精度测得的。",
    },
    "means other device": {
        "en": "The label is wrong: the rows are of another product than the folder names.",
        "zh": "标签有误：这些行测自文件夹所称之外的另一种产品。",
    },
    "means keys only": {
        "en": "The kernel does less than the operator: the pool holds keys and no values.",
        "zh": "kernel 做的比算子少：缓存池里只有键，没有值。",
    },
    "means added in the switch": {
        "en": "The kernel does less than the operator: the switch adds, not the ring.",
        "zh": "kernel 做的比算子少：相加的是交换机，不是环。",
    },
    "means warm cache": {
        "en": "The operands fit the L2 cache and were there already.",
        "zh": "操作数放得进 L2 缓存，而且已在其中。",
    },
    # counters and checks
    "same": {"en": "nothing, to the last digit", "zh": "无差别，逐位相同"},
    "amount": {"en": "{sign}{amount}: {why}", "zh": "{sign}{amount}：{why}"},
    "plus": {"en": "+", "zh": "+"},
    "minus": {"en": "−", "zh": "−"},
    "join": {"en": "; ", "zh": "；"},
    "counter": {"en": "{name}, {place}", "zh": "{name}，{place}"},
    "nobody": {"en": "nothing outside: the frontier", "zh": "外部无一察觉：前沿"},
    "repeats": {
        "en": "the times of {other} again ({kind})",
        "zh": "与 {other} 的时间相同（{kind}）",
    },
    # the reader's own record
    "own-record": {
        "en": "To read your record, this place needs JavaScript.",
        "zh": "读取你的记录需要 JavaScript。",
    },
    # published tables
    "read": {"en": "{authors}: {title} ({where}; read on {date})",
             "zh": "{authors}：{title}（{where}；读取于 {date}）"},
    "from": {"en": "with {inputs}", "zh": "其中 {inputs}"},
    "named": {"en": "{what}, {unit}", "zh": "{what}，{unit}"},
    "follows": {"en": "follows", "zh": "可推得"},
    "not": {"en": "Does not follow: {why}", "zh": "推不出：{why}"},
}  # fmt: skip

tell = functools.partial(said, WORDS)
