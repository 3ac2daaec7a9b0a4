"""The words around exercises and questions, in the languages of the book."""

from __future__ import annotations

from typing import Final

from bookcode.sphinxext.exercises_model import DIFFICULTIES
from bookcode.words import Words, in_language

WORDS: Final[Words] = {
    "exercise": {"en": "Exercise {label}", "zh": "习题 {label}"},
    "question": {"en": "Question {label}", "zh": "自测 {label}"},
    "concept": {"en": "concept", "zh": "概念"},
    "calculation": {"en": "calculation", "zh": "计算"},
    "code-reading": {"en": "code reading", "zh": "代码阅读"},
    "hands-on": {"en": "hands-on", "zh": "动手"},
    "choice": {"en": "choice", "zh": "选择"},
    "number": {"en": "number", "zh": "数值"},
    "difficulty": {"en": "difficulty {level} of {most}", "zh": "难度 {level}/{most}"},
    "none": {"en": "paper and pencil", "zh": "纸和笔"},
    "computer": {"en": "any computer", "zh": "任意计算机"},
    "nvidia-gpu": {"en": "an NVIDIA GPU", "zh": "NVIDIA GPU"},
    "ascend-npu": {"en": "an Ascend NPU", "zh": "昇腾 NPU"},
    "hint": {"en": "Hint", "zh": "思路"},
    "answer": {"en": "Answer", "zh": "参考答案"},
    "mistakes": {"en": "Common mistakes", "zh": "常见错误"},
    "why": {"en": "Why?", "zh": "为什么？"},
    "right": {"en": "Right.", "zh": "正确。"},
    "wrong": {"en": "Wrong.", "zh": "错误。"},
    "exercises-one": {"en": "{count} exercise", "zh": "{count} 道习题"},
    "exercises-many": {"en": "{count} exercises", "zh": "{count} 道习题"},
    "questions-one": {"en": "{count} question", "zh": "{count} 道自测题"},
    "questions-many": {"en": "{count} questions", "zh": "{count} 道自测题"},
}


def word(key: str, language: str, /, **parts: object) -> str:
    """A wording; "zh_CN" counts as "zh", and an unknown key stands for itself."""
    texts = WORDS.get(key, {"en": key})
    return in_language(texts, language).format(**parts)


def stars(level: str) -> str:
    """A difficulty as stars: filled ones, then empty ones."""
    filled = int(level) if level.isdigit() else 0
    return "★" * filled + "☆" * (int(DIFFICULTIES[-1]) - filled)
