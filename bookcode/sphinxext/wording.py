"""The words of our own that generated texts are made of, in the languages of the book.

What a reader sees beside a source is put together at build time, so it cannot be translated as a
message of the page; it is looked up here instead.
"""

from __future__ import annotations

import functools
from typing import Final

from bookcode.numbers.errors import NumbersError, did_you_mean
from bookcode.words import Words, in_language


class WordingError(NumbersError):
    """A wording that is not in the table."""


WORDING: Final[Words] = {
    # parts of a hint
    "join": {"en": "; ", "zh": "；"},
    "part": {"en": "{label}: {text}", "zh": "{label}：{text}"},
    "claim": {"en": "cited for", "zh": "引用内容"},
    "value": {"en": "value", "zh": "数值"},
    "kind": {"en": "kind", "zh": "类别"},
    "conditions": {"en": "conditions", "zh": "条件"},
    "conditions-source": {
        "en": "conditions, as the source states them",
        "zh": "条件（来源自述）",
    },
    "conditions-author": {
        "en": "conditions, as this book reads the source",
        "zh": "条件（本书对来源的解读）",
    },
    "evidence": {"en": "evidence", "zh": "证据"},
    "source": {"en": "source", "zh": "来源"},
    "trust": {"en": "standing", "zh": "可信度"},
    "note": {"en": "note", "zh": "备注"},
    "disputed": {"en": "disputed", "zh": "存疑"},
    "contradicts": {"en": "another source says", "zh": "另有来源称"},
    "contradiction": {
        "en": "{value} ({key}, {place})",
        "zh": "{value}（{key}，{place}）",
    },
    "evidence-state": {"en": "{evidence} ({state})", "zh": "{evidence}（{state}）"},
    "hint-composed": {
        "en": "{key}: composed of published numbers",
        "zh": "{key}：由已发布的数组合而成",
    },
    "no-operand": {"en": "no published number in it", "zh": "其中没有已发布的数"},
    "published-number": {"en": "published number {key}", "zh": "已发布的数 {key}"},
    "meaning": {"en": " ({meaning}) ", "zh": "（{meaning}）"},
    "dated": {"en": "{text}, {date}", "zh": "{text}，{date}"},
    # places
    "line": {"en": "line {first}", "zh": "第 {first} 行"},
    "lines": {"en": "lines {first}–{last}", "zh": "第 {first}–{last} 行"},
    "listed": {"en": "{head}, {tail}", "zh": "{head}，{tail}"},
    "member": {"en": "{artifact}, member {path}", "zh": "{artifact} 中的 {path}"},
    "own-judgement": {"en": "a judgement of this book", "zh": "本书的判断"},
    # kinds of facts
    "vendor-specification": {"en": "vendor specification", "zh": "厂商规格"},
    "third-party-measurement": {"en": "third-party measurement", "zh": "第三方测量"},
    "paper-report": {"en": "paper's own report", "zh": "论文自述"},
    "derivation": {"en": "derivation", "zh": "推导"},
    "convention": {"en": "convention", "zh": "约定"},
    "ledger": {"en": "ledger: {function}", "zh": "账本：{function}"},
    "composed": {"en": "ledger: composed of published numbers", "zh": "账本：由已发布的数组合"},
    # classes of evidence, and what each means for a reader
    "pinned": {"en": "pinned", "zh": "锁定"},
    "recorded": {"en": "recorded", "zh": "记录"},
    "unverified": {"en": "unverified", "zh": "未核验"},
    "author-note": {"en": "author's note", "zh": "作者注"},
    "state-pinned": {
        "en": "locked by hash on {date}; every verify compares the lines again",
        "zh": "{date} 按哈希锁定；每次 verify 都重新比对这些行",
    },
    "state-pinned-lines": {
        "en": "every verify compares the lines with a file locked by hash",
        "zh": "每次 verify 都与按哈希锁定的文件比对这些行",
    },
    "state-recorded": {
        "en": "read once on {date}; not compared again",
        "zh": "{date} 阅读过一次；此后不再比对",
    },
    "state-unverified": {"en": "not read for this book", "zh": "本书未曾阅读"},
    "state-author-note": {
        "en": "a judgement of this book; there is nothing to compare",
        "zh": "本书的判断；没有可比对的内容",
    },
    "means-pinned": {
        "en": "the lines stand in an artifact locked by its hash; verify fetches it and compares",
        "zh": "这些行位于按哈希锁定的制品中；verify 会取来并比对",
    },
    "means-recorded": {
        "en": "read once at the commit or page named, on the date given; verify counts it and does"
        " not compare it",
        "zh": "在所示日期阅读过所示的提交或页面；verify 只计数，不比对",
    },
    "means-unverified": {
        "en": "known by reference only; nobody read it for this book",
        "zh": "仅由他处转引得知；未为本书阅读过",
    },
    "means-author-note": {
        "en": "a judgement or a convention of this book",
        "zh": "本书的判断或约定",
    },
    # tables
    "times": {"en": "{place} (×{count})", "zh": "{place}（×{count}）"},
    "behind": {"en": "behind {count} numbers", "zh": "支撑 {count} 个数"},
    "behind-one": {"en": "behind {count} number", "zh": "支撑 {count} 个数"},
    "gives": {"en": " (gives {facts})", "zh": "（给出 {facts}）"},
    "headed": {"en": "{text}: ", "zh": "{text}："},
    "beside": {"en": " ({text})", "zh": "（{text}）"},
    "comma": {"en": ", ", "zh": "、"},
    "then": {"en": "{text}, ", "zh": "{text}，"},
    "nowhere": {"en": "not shown", "zh": "未显示"},
    "total": {"en": "all", "zh": "合计"},
    "set-core": {"en": "core", "zh": "核心"},
    "set-full": {"en": "full", "zh": "全部"},
    "set-none": {"en": "not fetched", "zh": "不下载"},
    "commit": {"en": "{repo} at commit {commit}", "zh": "{repo}，提交 {commit}"},
}
"""Wordings by key and language; names in braces are filled in."""


def said(words: Words, key: str, language: str, /, **parts: object) -> str:
    """The wording ``key`` of a table in ``language``; English where there is none.

    Raises:
        WordingError: for an unknown key, with the nearest ones.
    """
    if key not in words:
        raise WordingError(f"no wording {key!r}{did_you_mean(key, words)}")
    return in_language(words[key], language).format(**parts)


say = functools.partial(said, WORDING)
