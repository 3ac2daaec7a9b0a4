"""The words of the code browser, in the languages of the book."""

from __future__ import annotations

import functools
from typing import Final

from bookcode.sphinxext.wording import said
from bookcode.words import Words

WORDS: Final[Words] = {
    # pages of the code browser
    "all": {"en": "All code", "zh": "全部代码"},
    "chapter": {"en": "The page with these cells", "zh": "这些单元所在的页面"},
    "download": {"en": "Download {name}", "zh": "下载 {name}"},
    "definitions": {"en": "Definitions and their numbers", "zh": "定义及其数字"},
    "published": {"en": "What the cells publish", "zh": "单元发布的内容"},
    "source": {"en": "Source", "zh": "源代码"},
    "line": {"en": "line {line}", "zh": "第 {line} 行"},
    "made": {"en": "numbers made: {count}", "zh": "得出的数字：{count} 个"},
    "through": {"en": "takes part in numbers of", "zh": "参与计算的数字所在页面"},
    # a page's own code
    "cells": {"en": "Code of this page", "zh": "本页代码"},
    "read": {"en": "read it", "zh": "阅读"},
    "notebook": {"en": "notebook", "zh": "笔记本"},
    "script": {"en": "script", "zh": "脚本"},
    # the list of all code
    "ledger": {"en": "Files", "zh": "文件"},
    "chapters": {"en": "Cells of the pages", "zh": "各页的单元"},
    # notebooks
    "whence": {"en": "The code of “{title}”, from {book}.", "zh": "《{book}》中“{title}”的代码。"},
    "page": {"en": "Its tables and figures stand on the page.", "zh": "表格和图见原页面。"},
    "install": {
        "en": "It runs after `{command}`.",
        "zh": "执行 `{command}` 之后即可运行。",
    },
    "install-here": {
        "en": "It runs after `{command}` in a copy of the project.",
        "zh": "在项目副本中执行 `{command}` 之后即可运行。",
    },
    "data": {
        "en": "Data of the book that the cells read, put where they look for it.",
        "zh": "单元要读取的本书数据，放在它们查找的位置。",
    },
}
"""Words by key and language; names in braces are filled in."""

tell = functools.partial(said, WORDS)
