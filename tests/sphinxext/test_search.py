"""The search, asked through Sphinx's own scripts in Node.js, of small sites in both editions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bookcode.numbers.engine import Engine
from bookcode.sphinxext.search_words import words_of

CONF = """\
project = "Tiny"
extensions = ["myst_parser", "bookcode.sphinxext"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
html_math_renderer = "bookcode"
html_copy_source = False
bookcode_lint = False
exclude_patterns = ["jupyter_execute"]
"""
PAGES = {
    "compile": """\
# What torch.compile does

`torch.compile(model)` hands a graph to TorchInductor. Kernels are fused, and scores of
scaled_dot_product_attention stay on the chip. See torch.export for another way.
""",
    "gemm": """\
# Matrix products

A product does $2 M N K$ operations; on an H200 in fp16 it is compute-bound, while
`ops.gemm_backward` is counted twice. FlashAttention-3 and the all-reduce come later, with
version 2.13.0.
""",
    "memory": """\
# Memory-bound kernels

Kernels wait for memory: bandwidth decides. Two ranks all reduce their gradients over NVLink, in
bf16 or ｆｐ８. The naïve way of Poincaré moves 64 bytes; λ is a letter. One don't panic.
""",
    "zh": """\
# 编译器与算子融合

编译器把多个算子融合成一个内核, 减少显存访问。用 torch.compile 编译模型时, TorchInductor 生成代码。
""",
    "roof": """\
# 屋顶线模型

算术强度等于计算量除以访存量。H200 的显存带宽决定了内存受限的算子; 矩阵乘法 2MNK 则受计算限制。
注意力的核心是 softmax, 𠀀字也能找到。
""",
}
BOTH: dict[str, set[str]] = {
    # identifiers
    "torch.compile": {"compile", "zh"},
    "Torch.Compile": {"compile", "zh"},
    "torch.comp": {"compile", "zh"},
    "torch.export": {"compile"},
    "compile": {"compile", "zh"},
    "TorchInductor": {"compile", "zh"},
    "inductor": {"compile", "zh"},
    "scaled_dot_product_attention": {"compile"},
    "dot product": {"compile"},
    "gemm_backward": {"gemm"},
    "ops.gemm_backward": {"gemm"},
    "2MNK": {"gemm", "roof"},
    "mnk": {"gemm", "roof"},
    "H200": {"gemm", "roof"},
    "h200 fp16": {"gemm"},
    "fp8": {"memory"},
    "ＢＦ１６": {"memory"},
    "FlashAttention-3": {"gemm"},
    "flash": {"gemm"},
    # English, with its endings, and compounds
    "kernel": {"compile", "memory"},
    "operation": {"gemm"},
    "memory-bound": {"memory"},
    "bound": {"gemm", "memory"},
    "all-reduce": {"gemm"},
    "reduce": {"gemm", "memory"},
    "the kernels of the memory": {"memory"},
    "naïve": {"memory"},
    "Poincaré": {"memory"},
    "λ": {"memory"},
    # Chinese
    "编译": {"zh"},
    "编译器": {"zh"},
    "融合": {"zh"},
    "算子": {"zh", "roof"},
    "算子融合": {"zh"},
    "显存": {"zh", "roof"},
    "显存带宽": {"roof"},
    "带宽": {"roof"},
    "屋顶线": {"roof"},
    "核": {"zh", "roof"},
    "内核": {"zh"},
    "注意力": {"roof"},
    "𠀀": {"roof"},
    # mixed
    "编译模型 torch.compile": {"zh"},
    "用torch.compile编译": {"zh"},
    "H200的显存": {"roof"},
    "算子 TorchInductor": {"zh"},
    "softmax 注意力": {"roof"},
    # absent
    "tensorflow": set(),
    "torch.vmap": set(),
    "H100": set(),
    "fp4": set(),
    "4MNK": set(),
    "memory-mapped": set(),
    "量化": set(),
    "编码": set(),
    "带宽 torch.compile": set(),
    "融合 H200": set(),
    "算力": set(),
    "hasOwnProperty": set(),
    "-": set(),
    "64": set(),
    "the": set(),
}
ASK = """\
import { readFileSync } from "node:fs";
import vm from "node:vm";

const contexts = new Map();

function load({ folder, scripts }) {
  const nothing = () => ({ querySelectorAll: () => [], addEventListener() {}, dataset: {} });
  const stored = new Map();
  const page = {
    console, URLSearchParams,
    document: { ...nothing(), readyState: "loading", getElementById: () => null,
                createElement: nothing, documentElement: nothing(), body: nothing() },
    localStorage: { setItem: (key, value) => stored.set(key, value),
                    getItem: (key) => stored.get(key) ?? null },
    location: { search: "" },
    addEventListener() {},
  };
  page.window = page;
  vm.createContext(page);
  for (const script of scripts) {
    vm.runInContext(readFileSync(`${folder}/${script}`, "utf-8"), page, { filename: script });
  }
  return { page, stored };
}

export default function ask({ folder, scripts, query }) {
  if (!contexts.has(folder)) contexts.set(folder, load({ folder, scripts }));
  const { page, stored } = contexts.get(folder);
  page.query = query;
  const found = vm.runInContext("Search._performSearch(...Search._parseQuery(query))", page);
  const marked = stored.get("sphinx_highlight_terms") ?? "";
  const pages = found.reverse().map(([page, title, anchor]) => ({ page, title, anchor }));
  return { pages, marked, words: vm.runInContext("splitQuery(query)", page) };
}
"""


@dataclass
class Site:
    """A built site that answers queries, with the scripts of its search page in their order."""

    folder: Path
    engine: Engine

    def ask(self, query: str) -> dict[str, object]:
        return self.engine.call(
            "ask.js", {"folder": str(self.folder), "scripts": self.scripts, "query": query}
        )

    def pages(self, query: str) -> list[str]:
        return list(dict.fromkeys(found["page"] for found in self.ask(query)["pages"]))

    @property
    def scripts(self) -> list[str]:
        page = (self.folder / "search.html").read_text("utf-8")
        named = re.findall(r'<script[^>]* src="([^"?]+)', page)
        wanted = ("doctools", "sphinx_highlight", "searchtools", "language_data", "searchindex")
        return [name for name in named if Path(name).stem in wanted]


def build(sphinxes, folder: Path, language: str, theme: str, pages: dict[str, str]) -> Path:
    """Build pages, or build them again; the folder of the site."""
    (folder / "book" / "code").mkdir(parents=True, exist_ok=True)
    settings = f'language = "{language}"\nhtml_theme = "{theme}"\n'
    (folder / "conf.py").write_text(CONF + settings, "utf-8")
    for name, text in pages.items():
        (folder / "book" / f"{name}.md").write_text(text, "utf-8")
    status = sphinxes.run(
        [
            *("-q", "-W", "-c", str(folder), "-d", str(folder / "trees")),
            *(str(folder / "book"), str(folder / "html")),
        ]
    )
    assert status == 0
    return folder / "html"


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory, sphinxes) -> Iterator[dict[str, Site]]:
    listed = "\n".join([*PAGES, "code/far"])
    pages = PAGES | {
        "code/far": "# Far\n\nA kernel in the code browser.\n",
        "index": f"# Start\n\n```{{toctree}}\n{listed}\n```\n",
    }
    with Engine({"ask.js": ASK}) as engine:
        yield {
            language: Site(
                build(sphinxes, tmp_path_factory.mktemp(language), language, theme, pages), engine
            )
            for language, theme in (("en", "furo"), ("zh_CN", "basic"))
        }


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("query", BOTH)
def test_a_query_finds_its_pages_and_no_others(
    sites: dict[str, Site], language: str, query: str
) -> None:
    found = set(sites[language].pages(query)) - {"index", "code/far"}
    assert found == BOTH[query]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_titles_come_first_and_code_after_the_chapters(
    sites: dict[str, Site], language: str
) -> None:
    site = sites[language]
    assert site.pages("kernels")[0] == "memory"
    assert site.pages("kernels").index("compile") < site.pages("kernels").index("code/far")
    assert site.pages("torch.compile")[0] == "compile"
    assert site.pages("屋顶线模型")[0] == "roof"


def test_pages_are_marked_with_what_was_typed(sites: dict[str, Site]) -> None:
    assert sites["en"].ask("the 编译器 Torch.compile")["marked"] == "编译器 torch.compile"


def test_a_page_that_is_written_again_is_found_by_its_new_words(tmp_path: Path, sphinxes) -> None:
    build(sphinxes, tmp_path, "zh_CN", "basic", {"index": "# Start\n\n量化\n"})
    out = build(sphinxes, tmp_path, "zh_CN", "basic", {"index": "# Start\n\n编译 fp4\n"})
    index = (out / "searchindex.js").read_text("utf-8")
    terms = json.loads(index.removeprefix("Search.setIndex(").removesuffix(")"))["terms"]
    assert "量化" not in terms
    assert {"编译", "编", "译", "fp4"} <= set(terms)


# splitting ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("torch.compile", ["torch.compile", "torch", "compile"]),
        ("all-to-all", ["all-to-all", "all", "to"]),
        ("__init__", ["__init__", "init"]),
        ("FlashAttention", ["flashattention", "flash", "attention"]),
        ("PyTorch", ["pytorch"]),
        ("FLOP/B", ["flop", "b"]),
        ("end. Next", ["end", "next"]),
        ("2.13.0 4096 16-32", []),
        ("h200-tileops-0.1.0", ["h200-tileops-0.1.0", "h200", "tileops"]),
        ("2MNK 64kB 7B", ["2mnk", "mnk", "64kb", "7b"]),
        ("2 M N K", ["m", "n", "k", "mnk", "2mnk"]),
        (r"\text{a b} S_h", ["text", "a", "b", "s_h", "s", "h", "ab"]),
        ("算子", ["算", "子", "算子"]),
        ("用GPU跑", ["用", "gpu", "跑"]),
        ("ＦＰ１６", ["fp16"]),
        ("", []),
    ],
)
def test_words_of(text: str, words: list[str]) -> None:
    assert list(words_of(text)) == words


ALPHABET = "aB1_.- é λ编译器𠀀Ａ²µß"


@settings(max_examples=200, deadline=None)
@given(query=st.text(ALPHABET, max_size=12) | st.text(max_size=6))
def test_what_a_query_asks_for_is_what_the_same_text_is_found_by(
    sites: dict[str, Site], query: str
) -> None:
    asked = [word.lower() for word in sites["en"].ask(query)["words"]]
    assert set(asked) <= set(words_of(query))
